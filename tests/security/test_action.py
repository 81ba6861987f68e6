"""The door of the Action and of hooks: what they start imports and runs nothing of the checkout.

The steps of `action.yml` run as they stand there, in a tree that holds a module by the name of everything that Python,
pip and we import. Each of these modules leaves its name in a file when it runs.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from compilelint.cli.streams import without_foreign_folders
from tests.security.hostile import BREAKS, ROOT, fresh, shadow


def steps() -> dict[str, dict[str, Any]]:
    found = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return {step["name"]: step for step in found["runs"]["steps"]}


class Job:
    """A runner with a hostile checkout."""

    def __init__(self, folder: Path) -> None:
        self.checkout, self.temp, self.mark = folder / "checkout", folder / "runner temp", folder / "mark"
        for place in (self.checkout, self.temp):
            place.mkdir()
        (self.checkout / "net.py").write_text(BREAKS, encoding="utf-8")

    def run(self, name: str, **variables: str) -> subprocess.CompletedProcess[str]:
        script = self.temp / "script.sh"
        script.write_text(steps()[name]["run"], encoding="utf-8")
        step = {key: value for key, value in steps()[name].get("env", {}).items() if "${{" not in value}
        environment = {
            **os.environ,
            **step,
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.temp / "output"),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "PYTHON": sys.executable,
            "PATHS": "net.py",
            "OUTPUT": "none",
            "OPTIONS": "--no-cache",
            **variables,
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.checkout,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def ran(self) -> list[str]:
        return self.mark.read_text(encoding="utf-8").split() if self.mark.exists() else []


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def installed(job: Job) -> None:
    """An environment as the first step leaves it, that finds our sources and what they need where they are."""
    command = [sys.executable, "-I", "-m", "venv", "--without-pip", str(job.temp / "compilelint")]
    subprocess.run(command, cwd=job.temp, check=True)
    purelib = sysconfig.get_path("purelib", vars={"base": str(job.temp / "compilelint")})
    needed = [str(ROOT / "src"), sysconfig.get_path("purelib"), *site.getsitepackages()]
    Path(purelib, "ours.pth").write_text("\n".join(needed) + "\n", encoding="utf-8")


@pytest.mark.parametrize("options", ["--no-cache", "--no-cache\n--jobs\n2", "--no-cache\n--diff"])
def test_the_linting_step_runs_nothing_of_the_checkout(job: Job, options: str) -> None:
    installed(job)
    shadow(job.checkout, job.mark)
    done = job.run("Lint", OPTIONS=options)
    assert job.ran() == []
    assert done.returncode == 0, done.stderr
    assert "exit-code=" in (job.temp / "output").read_text(encoding="utf-8")


VARIABLES = {
    "PYTHONPATH": "CHECKOUT",
    "PYTHONSTARTUP": "CHECKOUT/random.py",
    "PYTHONUSERBASE": "CHECKOUT",
    "PYTHONHOME": "CHECKOUT",
    "PYTHONEXECUTABLE": "CHECKOUT/.venv/bin/python",
    "__PYVENV_LAUNCHER__": "CHECKOUT/.venv/bin/python",
    "PYTHONPLATLIBDIR": "CHECKOUT",
    "PYTHONPYCACHEPREFIX": "CHECKOUT",
    "PYTHONWARNINGS": "error::evil.Warning",
}


def environment(job: Job) -> None:
    """An environment in the checkout whose `.pth` file runs a line when its Python starts."""
    folder = job.checkout / ".venv"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    packages.mkdir(parents=True)
    (packages / "a.pth").write_text(f"import os; open({str(job.mark)!r}, 'a').write('pth')\n", encoding="utf-8")
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("step", "variable", "value"),
    [
        *(("Lint", variable, value) for variable, value in VARIABLES.items()),
        *(
            pytest.param("Install compilelint", name, VARIABLES[name], marks=pytest.mark.slow)
            for name in ("PYTHONPATH", "PYTHONEXECUTABLE")
        ),
    ],
)
def test_a_variable_that_names_the_checkout_changes_nothing(job: Job, step: str, variable: str, value: str) -> None:
    installed(job)
    shadow(job.checkout, job.mark)
    environment(job)
    named = {variable: value.replace("CHECKOUT", str(job.checkout)), "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1"}
    done = job.run(step, **named)
    assert job.ran() == []
    assert done.returncode == 0 or step != "Lint", done.stderr


@pytest.mark.slow
def test_the_installing_step_runs_nothing_of_the_checkout(job: Job) -> None:
    """As far as it comes without a network: the environment is made, pip starts, and finds no build backend."""
    shadow(job.checkout, job.mark)
    job.run("Install compilelint", PIP_NO_INDEX="1", PIP_NO_DEPS="1")
    assert job.ran() == []
    assert (job.temp / "compilelint" / "bin" / "python").exists()


@pytest.mark.slow
def test_both_steps_run_nothing_of_the_checkout(job: Job) -> None:
    shadow(job.checkout, job.mark)
    assert job.run("Install compilelint").returncode == 0
    done = job.run("Lint", FAIL_ON="note")
    assert job.ran() == []
    assert "exit-code=1" in (job.temp / "output").read_text(encoding="utf-8"), done.stderr


def test_the_shadows_run_where_the_checkout_is_on_the_path(job: Job) -> None:
    shadow(job.checkout, job.mark)
    subprocess.run([sys.executable, "-m", "compilelint"], cwd=job.checkout, capture_output=True, check=False)
    assert job.ran(), "the cases would prove nothing"


def test_the_installed_command_and_its_workers_run_nothing_of_the_folder(job: Job) -> None:
    shadow(job.checkout, job.mark)
    for name in range(6):
        (job.checkout / f"net{name}.py").write_text(BREAKS + "# " + "x" * 300_000 + "\n", encoding="utf-8")
    done = fresh(job.checkout, "check", ".", "--no-cache", "--jobs", "2", "--output", "concise")
    assert job.ran() == []
    assert "net5.py:5:8" in done.stdout, done.stderr


def test_the_import_path_loses_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    path = ["", ".", str(tmp_path), str(tmp_path / "link"), "/usr/lib/python3"]
    assert without_foreign_folders(path, "/site/compilelint") == ["/usr/lib/python3"]
    assert without_foreign_folders(path, str(tmp_path / "compilelint")) == path, "a source tree that is ours"


# -------------------------------------------------------------------- names that are options


@pytest.mark.parametrize(
    "name", ["--exclude=*.py", "--exit-zero", "--config=x.py", "-q", "--ignore=CL1", "--baseline=a.py", "--fix"]
)
def test_a_file_that_is_called_like_an_option_is_refused(tmp_path: Path, name: str) -> None:
    """pre-commit puts the names of changed files behind the command, without `--`."""
    (tmp_path / "net.py").write_text(BREAKS, encoding="utf-8")
    (tmp_path / name).write_text(BREAKS, encoding="utf-8")
    done = fresh(tmp_path, "check", "--force-exclude", name, "net.py")
    assert done.returncode == 2
    assert "would be read as an option" in done.stderr
    behind = fresh(tmp_path, "check", "--no-cache", "--output", "concise", "--", name, "net.py")
    assert behind.stdout.count("warning[CL101]") == 2
