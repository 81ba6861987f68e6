"""The command line from outside: exit codes, one line for every wrong request, files, and what `--help` loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from textwrap import dedent

import pytest

import compilelint
from compilelint import checks
from compilelint.rulebook import pages

SOURCE_TREE = str(Path(compilelint.__file__).parent.parent)
BREAKS = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x: torch.Tensor):
            if x.sum() > 0:
                return x + 1
            return x
"""
CLEAN = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x: torch.Tensor):
            return torch.where(x.sum() > 0, x + 1, x)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("breaks.py", BREAKS), ("clean.py", CLEAN)):
        (tmp_path / name).write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    return tmp_path


def compilelint_in(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    environment.update(PYTHONPATH=SOURCE_TREE, PYTHONIOENCODING="utf-8", **variables)
    command = [sys.executable, "-m", "compilelint", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


# ------------------------------------------------------------------ exit codes


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(["clean.py"], 0, id="nothing found"),
        pytest.param(["breaks.py"], 1, id="findings, check is the default"),
        pytest.param(["check", "breaks.py"], 1, id="findings, check is named"),
        pytest.param([], 0, id="help without arguments"),
        pytest.param(["check"], 1, id="the current folder"),
        pytest.param(["breaks.py", "--exit-zero"], 0, id="findings forgiven"),
        pytest.param(["breaks.py", "--ignore", "CL1"], 0, id="findings ignored"),
        pytest.param(["breaks.py", "--output", "json"], 1, id="the same in json"),
        pytest.param(["breaks.py", "--statistics"], 1, id="the same in numbers"),
        pytest.param(["broken.py"], 1, id="a file that is no Python"),
        pytest.param(["missing.py"], 2, id="no such file"),
        pytest.param(["missing.py", "--exit-zero"], 2, id="no such file is not forgiven"),
        pytest.param(["empty"], 2, id="a folder without Python"),
        pytest.param(["--version"], 0, id="version"),
        pytest.param(["check", "--help"], 0, id="help of a command"),
        pytest.param(["breaks.py", "--show-files"], 0, id="files shown, not linted"),
    ],
)
def test_exit_codes(folder: Path, words: list[str], code: int) -> None:
    (folder / "empty").mkdir()
    if "broken.py" in words:
        (folder / "broken.py").write_text("def f(:\n", encoding="utf-8")
    done = compilelint_in(folder, *words)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("level", "code"), [("warning", 1), ("error", 0), ("note", 1)])
def test_fail_on(folder: Path, level: str, code: int) -> None:
    (folder / "pragma.py").write_text("x = 1  # compilelint: ignore[CL101]\n", encoding="utf-8")
    assert compilelint_in(folder, "pragma.py", "--fail-on", level).returncode == code


def test_a_folder_called_like_a_command_is_named_with_its_dot(folder: Path) -> None:
    (folder / "rule").mkdir()
    (folder / "breaks.py").rename(folder / "rule" / "breaks.py")
    done = compilelint_in(folder, "./rule", "--output", "concise")
    assert done.returncode == 1
    assert done.stdout.startswith("rule/breaks.py:7:12: error[CL101] ")
    assert compilelint_in(folder, "check", "rule").returncode == 1


# ---------------------------------------------------------------- wrong requests


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--slect", "CL101", "."], "no such option --slect (compilelint check); did you mean --select"),
        (
            ["missing.py"],
            "no such file or folder (",
        ),
        (["empty"], "no Python file found (empty); name a .py file"),
        (["", "clean.py"], "an empty text"),
        ([".", "--select", "CL999x"], "unknown rule 'CL999x' (--select); "),
        (
            [".", "--select", "branch-on-tenser"],
            "unknown rule 'branch-on-tenser' (--select); did you mean branch-on-tensor?",
        ),
        ([".", "--select", ","], "an empty list"),
        ([".", "--extend-select", "nonsense"], "unknown rule 'nonsense' (--extend-select); "),
        ([".", "--ignore", "host-reed"], "unknown rule 'host-reed' (--ignore); did you mean host-read?"),
        ([".", "--min-confidence", "sure"], "'sure' is not one of 'certain', 'likely', 'possible'"),
        ([".", "--fail-on", "never"], "'never' is not one of 'error', 'warning', 'note'"),
        ([".", "--roots", ""], "an empty text"),
        ([".", "--torch-version", "new"], "'new' is not a torch version (--torch-version new); write it like 2.9"),
        ([".", "--python", "/no/python"], "no such interpreter or environment (--python /no/python); name "),
        ([".", "--follow-imports", "some"], "'some' is not one of 'all', 'project', 'none'"),
        ([".", "--exclude", ""], "an empty text"),
        ([".", "--exclude", "*.py"], "no Python file found (excluded: "),
        ([".", "--output", "jsn"], "unknown format 'jsn' (--output jsn); did you mean json?"),
        ([".", "--output", "xml"], "unknown format 'xml' (--output xml); use one of: full, concise, json"),
        ([".", "--output", "json:"], "no file behind the colon (--output json:)"),
        ([".", "--output", "json:empty"], "the report's file is a folder (--output json:empty)"),
        ([".", "--output", "json:no/r.json"], "no such folder for the report (--output json:no/r.json); make no first"),
        ([".", "--output", "json", "--output", "full"], "two reports for the terminal (--output json --output full)"),
        ([".", "--output", "json:a", "--output", "full:./a"], "two reports for one file (./a)"),
        ([".", "--quiet", "--verbose"], "--quiet and --verbose contradict each other"),
        ([".", "--color", "pink"], "'pink' is not one of 'auto', 'always', 'never'"),
        ([".", "--jobs", "0"], "0 is not in the range x>=1"),
        ([".", "--jobs", "many"], "'many' is not a valid integer"),
        ([".", "--cache-dir", ""], "an empty text"),
        ([".", "--select"], "requires an argument"),
        (["rule", "CL9999"], "unknown rule 'CL9999' (compilelint rule); "),
        (["rule", "a", "b"], "unexpected extra argument (b)"),
    ],
)
def test_a_wrong_request_gets_one_helpful_line_and_2(folder: Path, words: list[str], told: str) -> None:
    (folder / "empty").mkdir()
    done = compilelint_in(folder, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("compilelint: error: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert "; " in done.stderr, "the line names no mend"


# --------------------------------------------------------------------- outputs


def test_output_replaces_the_console_and_files_are_whole(folder: Path) -> None:
    done = compilelint_in(folder, "breaks.py", "--output", "json:report.json", "--output", "full:report.txt")
    assert (done.stdout, done.stderr) == ("", "")
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert [(one["rule"], one["line"]) for one in document["findings"]] == [("CL101", 7)]
    text = (folder / "report.txt").read_text(encoding="utf-8")
    assert text.startswith("error[CL101] branch-on-tensor: ")
    assert "\x1b" not in text
    assert sorted(path.name for path in folder.iterdir()) == ["breaks.py", "clean.py", "report.json", "report.txt"]


def test_json_on_stdout_is_nothing_but_json(folder: Path) -> None:
    done = compilelint_in(folder, "breaks.py", "--output", "json", "--statistics", "--verbose")
    assert json.loads(done.stdout)["summary"]["findings"] == 1
    assert "CL101" in done.stderr


def test_a_report_that_cannot_be_written_is_one_line(folder: Path) -> None:
    done = compilelint_in(folder, "clean.py", "--output", "json:/dev/full")
    assert done.returncode == 2
    assert (
        done.stderr
        == "compilelint: error: cannot write the report: No space left on device (/dev/full); name another file\n"
    )


def test_show_files_names_what_would_be_linted(folder: Path) -> None:
    (folder / ".gitignore").write_text("clean.py\n", encoding="utf-8")
    assert compilelint_in(folder, ".", "--show-files").stdout == "breaks.py\n"
    assert compilelint_in(folder, ".", "clean.py", "--show-files").stdout == "breaks.py\nclean.py\n"
    assert (
        compilelint_in(folder, "clean.py", "breaks.py", "--exclude", "clean*", "--force-exclude", "--show-files").stdout
        == "breaks.py\n"
    )


def test_quiet_shows_findings_only_and_verbose_what_the_run_was_based_on(folder: Path) -> None:
    quiet = compilelint_in(folder, "breaks.py", "--output", "concise", "--quiet")
    assert (quiet.stdout.count("\n"), quiet.stderr) == (1, "")
    assert compilelint_in(folder, "clean.py", "--quiet").stdout == ""
    assert "compilelint: note: imports are looked up in " in compilelint_in(folder, "clean.py", "--verbose").stderr


def test_a_good_file_gets_one_friendly_line(folder: Path) -> None:
    done = compilelint_in(folder, "clean.py", "--torch-version", "2.13")
    assert done.stdout == "All clear in 1 file: no findings for torch 2.13 (--torch-version).\n"


@pytest.mark.parametrize(
    ("words", "variables", "colored"),
    [
        pytest.param([], {}, False, id="piped"),
        pytest.param(["--color", "always"], {}, True, id="always"),
        pytest.param(["--color", "always"], {"NO_COLOR": "1"}, True, id="the option beats NO_COLOR"),
        pytest.param(["--color", "never"], {"FORCE_COLOR": "1"}, False, id="never"),
    ],
)
def test_colour(folder: Path, words: list[str], variables: dict[str, str], colored: bool) -> None:
    assert ("\x1b[" in compilelint_in(folder, "breaks.py", *words, **variables).stdout) is colored


@pytest.mark.parametrize(("no_color", "colored"), [("", True), ("1", False)])
def test_a_terminal_gets_colours_unless_no_color_is_set(folder: Path, no_color: str, colored: bool) -> None:
    import pty

    main, child = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE, "NO_COLOR": no_color, "TERM": "xterm"}
    command = [sys.executable, "-m", "compilelint", "breaks.py", "--output", "concise", "--quiet"]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=child, check=False)
    os.close(child)
    text = os.read(main, 65536).decode()
    os.close(main)
    assert done.returncode == 1
    assert ("\x1b[" in text) is colored


def test_a_terminal_without_the_character_gets_an_escape_not_a_crash(folder: Path) -> None:
    source = (folder / "breaks.py").read_text(encoding="utf-8").replace("> 0:", "> 0:  # größer, 中")
    (folder / "breaks.py").write_text(source, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "compilelint", "breaks.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"# gr\xf6\xdfer, \\u4e2d" in done.stdout


def test_a_reader_that_has_seen_enough_is_no_error(folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE}
    command = [sys.executable, "-m", "compilelint", "breaks.py"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, cwd=folder, env=environment, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.stderr == b""
    assert done.returncode == 1


# ------------------------------------------------------------------------ rules


def test_rule_shows_the_page_by_code_and_by_name(folder: Path) -> None:
    by_code, by_name = compilelint_in(folder, "rule", "cl101"), compilelint_in(folder, "rule", "branch-on-tensor")
    assert by_code.returncode == 0
    assert "## What it finds" in by_code.stdout
    assert by_code.stdout == by_name.stdout
    colored = compilelint_in(folder, "rule", "CL101", "--color", "always").stdout
    assert "\x1b[" in colored
    assert "```" not in colored


def test_rule_list_names_every_rule(folder: Path) -> None:
    done = compilelint_in(folder, "rule", "--list")
    codes = [line.split()[0] for line in done.stdout.splitlines()]
    assert codes == sorted(codes)
    assert {"CL101", "CL901"} <= set(codes)


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    rules = {(rule.code, rule.name) for rule in checks.rulebook().rules}
    assert {(page.code, page.name) for page in pages().values()} == rules


def test_a_wheel_brings_its_pages_and_its_schema(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=root, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    assert (installed / "compilelint" / "report" / "schema-1.json").is_file()
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "compilelint", "rule", "CL101"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("# CL101 "), done.stderr
    asked = "import compilelint.rulebook as r; print(r.pages_folder())"
    where = subprocess.run(
        [sys.executable, "-c", asked], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert Path(where.stdout.strip()) == (installed / "compilelint" / "_rules").resolve()


# ---------------------------------------------------------------------- start-up


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["check", "--help"], ["rule", "--help"]])
def test_help_loads_nothing_heavy(folder: Path, words: list[str]) -> None:
    code = f"import sys\nfrom compilelint.cli import run\nrun({words!r})\nprint(*sorted(sys.modules), file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "click" in loaded
    assert loaded.isdisjoint({"libcst", "rich", "torch", "numpy", "json", "compilelint.session"})


def test_a_defect_ends_with_2_and_asks_for_a_report(folder: Path) -> None:
    code = "from compilelint import cli\ncli.app.main = lambda *a, **k: 1 / 0\ncli.main(['check'])"
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stderr
    assert (
        done.stderr.splitlines()[-1] == "compilelint: error: this is a defect of compilelint (above); please report it"
    )
