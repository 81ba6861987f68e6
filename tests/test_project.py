"""What a stranger relies on: the README's commands, the wheel's contents, and that no machine shows through."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import compilelint
from compilelint.disk.data import toml_of

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "compilelint"

# Folders of one machine. Built from parts, so that this file passes its own test.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:" + "|".join(["work", "root", r"tmp/\w+"]) + r")/")


def commands_under(heading: str, readme: str) -> list[str]:
    """Return the shell commands of the first code block under a heading of the README, split at `&&`."""
    section = readme.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    block = re.search(r"```(?:bash|console|sh)\n(.*?)```", section, re.DOTALL)
    assert block is not None, f"no code block under {heading!r}"
    return [step.strip() for step in block.group(1).replace("\\\n", " ").strip().split("&&")]


def ci_steps() -> list[str]:
    """Return the lines that `.ci/run` runs, its environment called as the README calls it."""
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    return [line.replace(".venv-ci", ".venv") for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("heading", ["Install", "Develop"])
def test_the_command_of_the_readme_is_what_ci_runs(heading: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    steps, commands = ci_steps(), commands_under(heading, readme)
    assert len(commands) == 3
    # What the README leaves out for its length, the slow tests, the continuous integration runs too
    steps = [step.removeprefix("CI=true ").removesuffix(' -m "slow or not slow"') for step in steps]
    places = [steps.index(command) for command in commands]
    assert places == sorted(places)


def test_ci_leaves_out_no_test() -> None:
    assert [step for step in ci_steps() if "pytest" in step] == [
        'CI=true .venv/bin/python -m pytest -n auto -m "slow or not slow"'
    ]


def test_ci_stops_at_the_first_failure_and_asks_nothing() -> None:
    steps = ci_steps()
    assert steps[:2] == ["set -euo pipefail", "exec </dev/null"]
    assert not [step for step in steps if "&&" in step or "||" in step], "set -e overlooks failures inside lists"
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_ci_waits_for_each_step_that_runs_beside_others_since_only_then_its_failure_counts() -> None:
    steps = ci_steps()
    beside = [number for number, step in enumerate(steps) if step.endswith("&")]
    assert beside
    for number in beside:
        name, _, process = steps[number + 1].partition("=")
        assert process == "$!"
        assert steps[number + 2 :].count(f'wait "${name}"') == 1


def test_torch_is_always_pinned_in_ci() -> None:
    assert not [step for step in ci_steps() if re.search(r"install\b.*\btorch\b(?!==)", step)]
    assert '"torch==2.13.0"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A freshly built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (file,) = folder.glob("*.whl")
    assert file.name == f"compilelint-{compilelint.__version__}-py3-none-any.whl"
    return file


@pytest.fixture(scope="module")
def wheel(wheel_file: Path) -> frozenset[str]:
    """The names in it."""
    return frozenset(zipfile.ZipFile(wheel_file).namelist())


# A name under a domain that RFC 2606 keeps from resolving, or a placeholder where a command wants an address.
_NOWHERE = re.compile(rb"https?://[\w.-]*\.(?:example|invalid)\b|(?:git\+|install |uses: |repo: )ADDRESS\b")


def nowhere(text: bytes) -> list[bytes]:
    """The addresses of a text that lead nowhere."""
    return _NOWHERE.findall(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("see https://compilelint.example/rules/CL101/.", 1, id="a reserved domain"),
        pytest.param("pip install git+https://git.compilelint.example/compilelint", 1, id="in an install line"),
        pytest.param("pip install git+ADDRESS", 1, id="a placeholder"),
        pytest.param("https://docs.pytorch.org/docs/stable/", 0, id="one that resolves"),
        pytest.param("{key.example} for example.", 0, id="the word"),
    ],
)
def test_addresses_that_lead_nowhere_are_seen(text: str, found: int) -> None:
    assert len(nowhere(text.encode())) == found


def test_the_wheel_names_no_address_that_leads_nowhere(wheel_file: Path) -> None:
    with zipfile.ZipFile(wheel_file) as built:
        texts = {name: built.read(name) for name in built.namelist()}
    assert {name: found for name, text in texts.items() if (found := nowhere(text))} == {}


def test_reports_docs_and_examples_name_no_address_that_leads_nowhere() -> None:
    shown = [
        *(ROOT / "tests" / "report" / "golden").iterdir(),
        *(one for folder in ("docs", "examples", "editors", ".github") for one in (ROOT / folder).rglob("*")),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CITATION.cff", "mkdocs.yml", "action.yml")),
    ]
    files = [one for one in shown if one.is_file() and "node_modules" not in one.parts]
    assert len(files) > 60
    found = {str(one.relative_to(ROOT)): nowhere(one.read_bytes()) for one in files}
    assert {name: some for name, some in found.items() if some} == {}


def test_the_wheel_holds_every_rule_page_as_data(wheel: frozenset[str]) -> None:
    pages = {page.name for page in (ROOT / "rules").glob("*.md")}
    shipped = {name.removeprefix("compilelint/_rules/") for name in wheel if name.startswith("compilelint/_rules/")}
    assert pages
    assert shipped == {
        path.relative_to(ROOT / "rules").as_posix() for path in (ROOT / "rules").rglob("*") if path.is_file()
    }
    assert not [name for name in shipped if name.endswith(".py")]


def test_the_wheel_holds_the_package_and_its_data(wheel: frozenset[str]) -> None:
    ours = {path.relative_to(PACKAGE.parent).as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    measuring = {name for name in ours if name.startswith("compilelint/torchfacts/generate/")}
    assert measuring
    assert not measuring & wheel
    ours -= measuring
    assert "compilelint/py.typed" in ours
    assert [name for name in ours if re.fullmatch(r"compilelint/torchfacts/data/[\d.]+\.json", name)]
    assert ours <= wheel


def test_the_wheel_holds_nothing_else(wheel: frozenset[str]) -> None:
    tops = {name.split("/", 1)[0] for name in wheel}
    assert tops == {"compilelint", f"compilelint-{compilelint.__version__}.dist-info"}
    assert not [name for name in wheel if re.search(r"(^|/)(tests?|conftest\.py|benchmarks|fixtures)(/|$)", name)]


def test_every_folder_of_the_package_with_code_is_a_package() -> None:
    folders = {file.parent for file in PACKAGE.rglob("*.py")}
    assert PACKAGE / "model" in folders
    assert not [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()]


def project_files() -> Iterator[Path]:
    """Yield every file that git tracks or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    yield from (ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file())


def test_no_file_names_a_folder_of_one_machine() -> None:
    found, read = [], 0
    for file in project_files():
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        match = MACHINE_PATH.search(data.decode("utf-8", errors="replace"))
        read += 1
        if match:
            found.append(f"{file.relative_to(ROOT)}: {match.group()}")
    assert read > 30
    assert not found, "\n".join(found)


@pytest.mark.parametrize("folder", ["work", "root", "tmp/lab"])
def test_a_machine_path_is_recognised(folder: str) -> None:
    assert MACHINE_PATH.search(f"see /{folder}/x.py")
    assert not MACHINE_PATH.search(f"https://example.org/{folder}/x.py and src/{folder}/x.py")


def test_no_test_is_skipped() -> None:
    words = ["mark." + "skip", "mark." + "xfail", "pytest." + "skip(", "import" + "orskip", "skip" + "Test"]
    files = sorted((ROOT / "tests").rglob("*.py"))
    found = [f"{file.name}: {word}" for file in files for word in words if word in file.read_text(encoding="utf-8")]
    assert Path(__file__) in files
    assert not found, "a test that cannot run must fail and say what to install: " + ", ".join(found)


# Tests of no single file; each says in its docstring what it cuts across.
ACROSS = """
    checks/test_goldens cli/test_cli cli/test_start_up events/test_vocabularies fixes/test_goldens
    fixes/test_goldens_run fixes/test_goldens_trained fixes/test_pages_fixed fixes/test_properties
    fixes/test_proven_goldens fixes/test_recorded_offers interp/test_goldens interp/test_names_across_files
    interp/test_word_lists report/formats/test_formats report/test_golden_layouts report/test_goldens
    report/test_hostile report/test_notebooks report/test_verdicts session/test_invariance survey/test_goldens
    values/test_goldens values/test_size
""".split()


def test_a_test_is_named_by_the_file_that_it_tests() -> None:
    """`tests/X/test_Y.py` or `test_Y_aspect.py` for `X/Y.py`, which is a source, a benchmark, or a package of them.

    Folders of no room in the source (`rules`, `security`) are not asked, nor what a room records as a whole.
    """
    nameless = []
    for path in sorted((ROOT / "tests").glob("*/**/test_*.py")):
        of = path.relative_to(ROOT / "tests").with_suffix("")
        top = ROOT if of.parts[0] == "benchmarks" else ROOT / "src" / "compilelint"
        room = top / of.parent
        if not (top / of.parts[0]).is_dir() or of.name == "test_runs":
            continue
        words = of.name.removeprefix("test_").split("_")
        names = ["_".join(words[:count]) for count in range(1, len(words) + 1)]
        if not any((room / f"{name}.py").is_file() or (room / name).is_dir() for name in names):
            nameless.append(of.as_posix())
    assert nameless == sorted(ACROSS)


def test_texts_of_torch_are_shipped_with_its_licence() -> None:
    """Titles and explanations of torch's registry of graph breaks lie in the wheel: BSD-3 asks for its text there."""
    project = toml_of((ROOT / "pyproject.toml").read_bytes())["project"]
    files = {one.relative_to(ROOT).as_posix() for pattern in project["license-files"] for one in ROOT.glob(pattern)}
    assert files == {"LICENSE", "NOTICE", "LICENSES/pytorch.txt"}
    assert project["license"] == "Apache-2.0 AND BSD-3-Clause"
    text = (ROOT / "LICENSES" / "pytorch.txt").read_text(encoding="utf-8")
    assert "Redistributions in binary form must reproduce the above copyright" in text
    assert "LICENSES/pytorch.txt" in (ROOT / "NOTICE").read_text(encoding="utf-8")


def test_the_changelog_is_short_and_in_its_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = text.split("\n## [Unreleased]\n", 1)[1].split("\n## ", 1)[0]
    assert len(unreleased.splitlines()) <= 60, "one line for what a user notices; git has the rest"
    headings = re.findall(r"^### (.*)$", unreleased, re.MULTILINE)
    assert headings == [one for one in ("Added", "Changed", "Fixed", "Removed", "Security") if one in headings]
