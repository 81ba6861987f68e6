"""What the attacks share: trees that leave a mark where a line of theirs runs, and the command in its own process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.warm_command import warm_command

ROOT = Path(__file__).parent.parent.parent
SECRET = "hunter2-" + "7f3a9c"
BREAKS = "import torch\n\n\ndef f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n    return -x\n"

# Every module of the standard library by name, what the command imports beside it, and what runs at Python's start.
SHADOWED = (
    *sorted(name for name in sys.stdlib_module_names if not name.startswith("_") or name in ("_io", "_weakrefset")),
    *(
        "click",
        "libcst",
        "packaging",
        "pathspec",
        "platformdirs",
        "rich",
        "sarif_om",
        "attr",
        "yaml",
        "typing_extensions",
    ),
    *("sitecustomize", "usercustomize", "setuptools", "hatchling", "wheel", "distutils", "_distutils_hack"),
)
PACKAGES = ("compilelint", "pip", "venv", "ensurepip", "encodings", "importlib", "json", "runpy")


def shadow(folder: Path, mark: Path) -> None:
    """Fill a folder with modules named as all that our commands import; each leaves its name in `mark` when it runs."""
    code = f"import os\nopen({str(mark)!r}, 'a').write(__name__ + '\\n')\n"
    for name in SHADOWED:
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    for name in PACKAGES:
        package = folder / name
        package.mkdir(exist_ok=True)
        for file in ("__init__.py", "__main__.py", "cli.py"):
            (package / file).write_text(code, encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        "[build-system]\nbuild-backend = 'evil'\nbackend-path = ['.']\n", encoding="utf-8"
    )
    for name in ("setup.py", "evil.py", "conftest.py", "noxfile.py"):
        (folder / name).write_text(code, encoding="utf-8")
    for name in ("pip.conf", "setup.cfg", "pyvenv.cfg"):
        (folder / name).write_text("[global]\nindex-url = http://127.0.0.1:9/evil\n", encoding="utf-8")


def compilelint(
    folder: Path, *words: str, environment: dict[str, str] | None = None, given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """The command in its own process, in a folder; no colours, no cache but what `words` say.

    For what a tree says and holds. What is about how a process begins, imports among it, asks for a `fresh` one.
    """
    return warm_command(folder, words, _environment(environment), given)


def fresh(
    folder: Path, *words: str, environment: dict[str, str] | None = None, given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """The command as an installed script runs it, with all that Python does and imports from its start."""
    command = [sys.executable, "-c", "import sys; del sys.path[0]; from compilelint.__main__ import start; start()"]
    return subprocess.run(
        [*command, *words],
        cwd=folder,
        env=_environment(environment),
        capture_output=True,
        text=True,
        errors="replace",
        input=given,
        timeout=120,
        check=False,
    )


def _environment(more: dict[str, str] | None) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1", **(more or {})}


def git(folder: Path, *words: str) -> str:
    """git as the author of the tree uses it, without any configuration of this machine."""
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**own, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def all_reports(folder: Path, *words: str) -> str:
    """Everything that every format says of a folder, standard error included."""
    from compilelint.report.formats import FORMATS

    with tempfile.TemporaryDirectory() as beside:
        files = [word for name in FORMATS for word in ("--output", f"{name}:{beside}/{name}")]
        done = compilelint(
            folder, "check", *words, "--no-cache", "--exit-zero", "--verbose", *files, "--output", "full"
        )
        assert done.returncode == 0, done.stderr
        reports = [Path(beside, name).read_text(encoding="utf-8") for name in FORMATS]
    return "\n".join([*reports, done.stdout, done.stderr])
