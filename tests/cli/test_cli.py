"""The command line from outside: exit codes, one line for every wrong request, files, and what `--help` loads."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import click
import pytest

import compilelint
from compilelint import checks
from compilelint.cli import GROUPS, app, run
from compilelint.report.formats import FORMATS
from compilelint.rulebook import pages, parse_page
from tests.support.warm_command import warm_command

SOURCE_TREE = str(Path(compilelint.__file__).parent.parent)
EACH_FORMAT = [name if name == "sarif" else pytest.param(name, marks=pytest.mark.slow) for name in FORMATS]
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


def compilelint_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of the command line in this process, as far as the process itself is not what a test is about."""
    given, out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(3))
    before, keyboard, sys.stdin = os.getcwd(), sys.stdin, given
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([*words])
    finally:
        os.chdir(before)
        sys.stdin = keyboard
    printed = []
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
        printed.append(stream.read())
    return subprocess.CompletedProcess(words, code, *printed)


def process_in(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The same as a process of its own, with an environment of its own."""
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    environment.update(PYTHONPATH=SOURCE_TREE, PYTHONIOENCODING="utf-8", **variables)
    return warm_command(folder, words, environment)


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


@pytest.mark.parametrize(("name", "code"), [("clean.py", 0), ("breaks.py", 1), ("missing.py", 2)])
def test_a_process_ends_with_that_code(folder: Path, name: str, code: int) -> None:
    command = [sys.executable, "-m", "compilelint", name]
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("\n") > 0) == (code, code < 2)


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


WRONG: list[tuple[list[str], str]] = [
    (["server", "--tcp=nohost"], "not a port"),
    (["server", "--log-level=loud"], "'loud' is not one of"),
    (["server", "--log-file=nowhere/x/y.log"], "cannot write the log"),
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
    ([".", "--output", "xml"], "unknown format 'xml' (--output xml); use one of: grouped, full, concise, github"),
    ([".", "--output-format", "xml"], "'xml' is not one of 'grouped', 'full', "),
    ([".", "--output-file", "empty"], "the report's file is a folder (--output full:empty)"),
    ([".", "--output", "json:"], "no file behind the colon (--output json:)"),
    ([".", "--output", "json:empty"], "the report's file is a folder (--output json:empty)"),
    ([".", "--output", "json:no/r.json"], "no such folder for the report (--output json:no/r.json); make no first"),
    ([".", "--output", "json", "--output", "full"], "two reports for the terminal (--output json --output full)"),
    ([".", "--output", "json:a", "--output", "full:./a"], "two reports for one file (./a)"),
    ([".", "--quiet", "--verbose"], "--quiet and --verbose contradict each other"),
    ([".", "--color", "pink"], "'pink' is not one of 'auto', 'always', 'never'"),
    ([".", "--jobs", "0"], "0 is not in the range x>=1"),
    ([".", "--jobs", "many"], "'many' is not an integer"),
    ([".", "--cache-dir", ""], "an empty text"),
    ([".", "--select"], "requires an argument (compilelint check); see `compilelint check --help`"),
    (["verify", "--input"], "requires an argument (compilelint verify); see `compilelint verify --help`"),
    (["facts", "show", "--output"], "requires an argument (compilelint facts show)"),
    (
        [".", "--config", "gone.toml"],
        "cannot read gone.toml: no such file or directory (--config); name another file",
    ),
    ([".", "--config", "x = 1"], "unknown key 'x' (--config 'x = 1'); use one of: "),
    (
        [".", "--add-ignore=see # noqa"],
        "a reason is one line, with `#` only before an issue number (--add-ignore=see # noqa); ",
    ),
    (["-", "--add-ignore"], "standard input cannot be written to (--add-ignore); name the file instead"),
    (["-", "clean.py"], "standard input is linted alone; leave the other paths out"),
    ([".", "--stdin-filename", "x.py"], "standard input is linted alone; leave the other paths out"),
    ([".", "--baseline", "none.json"], "no such baseline (--baseline none.json); make it with --update-baseline"),
    ([".", "--baseline", "clean.py"], "the baseline is not JSON (--baseline clean.py); write it again"),
    (
        [".", "--update-baseline"],
        "there is no baseline to update (--update-baseline); name its file: --baseline FILE",
    ),
    (
        [".", "--baseline", "b.json", "--update-baseline", "--diff-base", "main"],
        "a baseline of the changed lines alone would forget the rest (--update-baseline); ",
    ),
    ([".", "--diff-base", "main"], "is not in a git repository (--diff-base main); leave the option out"),
    (["verify", "a.b:C", "--input", "2xx"], "'2xx' is not an input (--input); "),
    (["verify", "a.b:C", "--dynamic-dims", "first"], "'first' are not dimensions (--dynamic-dims); "),
    (["verify", "a.b:C", "--mode", "test"], "'test' is not one of 'eval', 'train'"),
    (["verify", "a.b:C", "--region", ""], "an empty text"),
    (["verify", "a.b:C", "--max-breaks", "-1"], "-1 is not in the range x>=0"),
    (["verify", "a.b:C", "--max-recompiles", "few"], "'few' is not an integer"),
    (["verify", "a.b:C", "--timeout", "soon"], "'soon' is not a number"),
    (["verify", "a.b:C", "--timeout", "0"], "0.0 is not in the range x>0"),
    (["verify", "a.b:C", "--memory", "4G"], "'4G' is not an integer"),
    (["verify", "a.b:C", "--seed", "x"], "'x' is not an integer"),
    (["verify", "a.b:C", "--repeats", "0"], "0 is not in the range x>=1"),
    (["verify", "a.b:C", "--backend", "tvm"], "'tvm' is not one of 'eager', 'aot_eager', 'inductor'"),
    (["verify", "a.b:C", "--device", "tpu"], "'tpu' is not one of 'cpu', 'cuda'"),
    (["verify", "a.b:C", "--executor", "ray"], "'ray' is not an executor (compilelint verify); write local, dask, "),
    (["verify", "a.b:C", "--resource", "GPU"], "'GPU' is not a resource (--resource); write NAME=AMOUNT, as in GPU=1"),
    (["verify", "a.b:C", "--resource", "GPU=1", "--executor", "a:b"], "a:b knows no resources"),
    (["verify", "a.b:C", "--resume", "x"], "'x' is not a run (compilelint verify); "),
    (["verify", "a.b:C", "--matrix", "python=3"], "'python=3' names no axis: write torch=2.13,2.15, "),
    (["verify", "a.b:C", "--matrix", "mode=test"], "mode is never 'test': it is eval or train (--matrix); "),
    (["verify", "a.b:C", "--matrix", "torch=new"], "'new' is not a version of torch (--matrix); "),
    (["verify", "a.b:C", "--with", ""], "an empty text"),
    (["verify", "a.b:C", "--budget", "no.json"], "there is no such file (no.json); write it with --update-budget"),
    (["verify", "a.b:C", "--board", ""], "an empty text"),
    (["report", ".", "--verify", "no.json"], "no run: "),
    (["report", ".", "--since", "no.json"], "no report to compare with: "),
    (["board", "no.jsonl"], "no run: "),
    (["board", "empty", "--output", ""], "an empty text"),
    (["board", "empty", "--bench", ""], "an empty text"),
    (["verify", "a.b:C", "--set", "x"], "'x' sets nothing (--set); write --set capture_scalar_outputs=True"),
    (["verify", "a.b:C", "--for", "onnx"], "'onnx' is not one of 'compile', 'export'"),
    (["verify", "a.b:C", "--record", ""], "an empty text"),
    (["bench"], "no target (compilelint bench); name one"),
    (["bench", "C"], "'C' does not name an object (compilelint bench); write pkg.mod:Name"),
    (["bench", "a.b:C", "--config", "defualt"], "unknown configuration 'defualt' (--config); did you mean default?"),
    (["bench", "a.b:C", "--config", "reduce-overhead"], "records CUDA graphs, and the device is cpu (--config); use"),
    (["bench", "a.b:C", "--case", "often@2x4"], "'often' is not a weight (--case often@2x4); write a number above 0"),
    (["bench", "a.b:C", "--case", "2@2xx"], "'2xx' is not an input (--case 2@2xx); "),
    (["bench", "a.b:C", "--case", "2x4", "--input", "2x4"], "--input and --case contradict each other"),
    (["bench", "a.b:C", "--repeats", "3"], "3 is not in the range x>=4"),
    (["bench", "a.b:C", "--seconds", "0"], "0.0 is not in the range x>0"),
    (["bench", "a.b:C", "--soak", "5"], "5 is not in the range x>=20"),
    (["bench", "a.b:C", "--threads", "0"], "0 is not in the range x>=1"),
    (["bench", "a.b:C", "--output", "sarif"], "no measurements in 'sarif' (--output); use full, json"),
    (["verify", "a.b:C", "--lint", ""], "an empty text"),
    (["verify", "a.b:C", "--path", ""], "an empty text"),
    (["verify", "C"], "'C' does not name an object (compilelint verify); write pkg.mod:Name"),
    (["verify"], "no target (compilelint verify); name one"),
    (["fix"], "no target (compilelint fix); name one"),
    (["fix", "C"], "'C' does not name an object (compilelint fix); write pkg.mod:Name"),
    (
        ["fix", "clean.py"],
        "clean.py is a file or folder, not a target (compilelint fix); name one, as in clean:Model; ",
    ),
    (["fix", "a.b:C", "--diff", "--apply"], "--diff and --apply contradict each other (compilelint fix); choose one"),
    (["score", "gone.jsonl", "--root", "."], "a record cannot be read: "),
    (["score", "gone.jsonl", "--root", ".", "--misses", "-1"], "-1 is not in the range x>=0"),
    (["config", "--output", "xml"], "'xml' is not one of 'full', 'json'"),
    (
        ["config", "--torch-version", "newest"],
        "'newest' is not a torch version (--torch-version newest); write it like 2.9",
    ),
    (["config", "--python", "gone"], "no such interpreter or environment (--python "),
    (["rule", "CL101", "--torch-version", "2.9"], "--torch-version is for break ids, as in `compilelint rule GB0170"),
    (["prove", "m:f", "--patch", "clean.py"], "the patch does not apply: "),
    (["prove", "m:f", "--patch", "gone.diff"], "'gone.diff' does not exist"),
    (["prove", "m:f", "--against", ""], "no change (compilelint prove); name one with --patch FILE"),
    (["prove", "m:f", "--files", "clean.py"], "requires 2 arguments"),
    (["prove", "m:f", "--files", "clean.py", "clean.py", "--output", "xml"], "unknown format 'xml' (--output xml)"),
    (["completion", "csh"], "'csh' is not one of 'bash', 'zsh', 'fish'"),
    (["completion"], "missing argument"),
    (
        ["dev", "new-rule", "X1", "a-b"],
        "'X1' is not a rule code (compilelint dev new-rule); write CL and three digits",
    ),
    (["check", ".", "--rules", "nowhere.py"], "no such file or folder: nowhere.py (--rules); name a Python file"),
    (["dev", "new-rule", "CL699", "Ab"], "'Ab' is not a rule name (compilelint dev new-rule); write what it finds in"),
    (
        ["dev", "new-rule", "CL101", "a-b"],
        "CL101 is taken (compilelint dev new-rule); codes never change meaning; ",
    ),
    (
        ["dev", "new-rule", "CL699", "print-call"],
        "a rule is called print-call already (compilelint dev new-rule); ",
    ),
    (["dev", "new-rule", "CL699", "a-b"], ". is not a clone of compilelint (compilelint dev new-rule); run it in the"),
    (
        ["dev", "new-rule", "CL699", "a-b", "--root", "empty"],
        "empty is not a clone of compilelint (compilelint dev new-rule)",
    ),
    (["rule", "CL101", "--all"], "name a rule, or give --list or --all: one of the three"),
    (
        ["facts", "show", "torch.nothing.such"],
        "there are no facts about 'torch.nothing.such' (compilelint facts show);",
    ),
    (["check", "--trace", "absent.log"], "cannot read the log: there is no such file or folder (absent.log); "),
    (["reproduce", "a.b:C", "--at", "net.py"], "'net.py' names no line (--at); "),
    (["reproduce", "a.b:C", "--trace", "absent.log", "--entry", "2"], "cannot read the log: there is no such file"),
    (["reproduce", "a.b:C", "--trials", "0"], "0 is not in the range x>=1"),
    (["reproduce", "a.b:C", "--seconds", "0"], "0.0 is not in the range x>0"),
    (["reproduce", "a.b:C", "--id"], "option '--id' requires an argument"),
    (["reproduce", "a.b:C", "--difference", "--id", "GB0001"], "--difference has no line and no id; "),
    (["reproduce", "a.b:C", "--backend", "inductor"], "--backend is for --difference; "),
    (["reproduce", "a.b:C", "--id", "GB0001", "--at", "x", "--output", "a.py"], "'x' names no line (--at); "),
    (["trace", "a.log", "--checkout", "absent"], "no such folder (absent); "),
    (["trace", "--no-lint"], "missing argument 'PATH...'"),
    (["trace", "a.log", "--against", "b.log"], "cannot read the log: there is no such file or folder (a.log); "),
    (["why", "clean.py"], "clean.py names no line (compilelint why); write FILE:LINE"),
    (["why", "clean.py:1", "--bundle", "no/r.md"], "the report cannot be written: "),
    (["rule", "CL9999"], "unknown rule 'CL9999' (compilelint rule); "),
    (["rule", "a", "b"], "unexpected extra argument (b)"),
]


def test_ruffs_words_for_the_output_work(folder: Path) -> None:
    done = compilelint_in(folder, ".", "--output-format", "json", "--output-file", "r.json", "--exit-zero")
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads((folder / "r.json").read_text(encoding="utf-8"))["findings"]
    assert compilelint_in(folder, ".", "--output-format=json", "--exit-zero").stdout.startswith("{")


def test_every_command_is_under_one_heading_of_the_help(folder: Path) -> None:
    printed = compilelint_in(folder, "--help").stdout
    listed = re.findall(r"^  ([a-z]+)  +\S", printed.split("\nEveryday:\n")[1], re.MULTILINE)
    assert listed == list(app.commands)
    assert len(listed) == len(set(listed))
    assert [heading for heading in GROUPS if f"\n{heading}:\n" not in printed] == []


@pytest.mark.parametrize(("words", "complaint"), WRONG)
def test_a_wrong_request_gets_one_helpful_line_and_2(folder: Path, words: list[str], complaint: str) -> None:
    (folder / "empty").mkdir()
    done = compilelint_in(folder, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("compilelint: error: ")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert "; " in done.stderr, "the line names no hint"


def test_every_option_of_every_command_has_a_wrong_use_above() -> None:
    """A new option comes with the line that answers its wrong use (flags alone cannot be used wrongly)."""
    used = {word.partition("=")[0] for words, _ in WRONG for word in words}

    def missing(command: click.Command, path: str) -> Iterator[str]:
        for parameter in command.params:
            is_value = isinstance(parameter, click.Option) and not parameter.is_flag
            if is_value and not parameter.is_eager and used.isdisjoint(parameter.opts):
                yield f"{path} {parameter.opts[0]}"
        for name, inner in getattr(command, "commands", {}).items():
            yield from missing(inner, f"{path} {name}")

    assert list(missing(app, "compilelint")) == []


def value_options(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The way to every option that takes a value: the commands, then the option."""
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.is_flag and parameter.opts[0] != "--add-ignore":
            yield (*path, parameter.opts[0])
    for name, inner in getattr(command, "commands", {}).items():
        yield from value_options(inner, (*path, name))


@pytest.mark.parametrize("words", list(value_options(app)), ids=" ".join)
@pytest.mark.parametrize("given", ["", None])
def test_an_option_without_its_value_is_one_line(
    words: tuple[str, ...],
    given: str | None,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    last = words[-1] if given is None else f"{words[-1]}={given}"
    operands = {"show": ["torch.add"], "diff": ["2.9", "2.10"], "new-rule": ["CL699", "a-b"]}.get(words[-2], [])
    assert run([*words[:-1], *operands, last]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert words[-1] in printed.err
    assert "; " in printed.err


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
        == "compilelint: error: cannot write the report: no space left on device (/dev/full); name another file\n"
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
    assert "compilelint: note: looking up imports in " in compilelint_in(folder, "clean.py", "--verbose").stderr


def test_a_good_file_gets_one_friendly_line(folder: Path) -> None:
    done = compilelint_in(folder, "clean.py", "--torch-version", "2.13")
    clear, judged = done.stdout.splitlines()
    assert clear == "All clear in 1 file: no findings for torch 2.13 (--torch-version)."
    assert judged == "Checked: no compile call found; 1 module forward."


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
    assert ("\x1b[" in process_in(folder, "breaks.py", *words, **variables).stdout) is colored


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
    root = Path(__file__).parents[2]
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


@pytest.mark.parametrize("command", ["", "check", "rule", "config", "facts", "completion", "dev", "dev new-rule"])
def test_help_loads_nothing_heavy(folder: Path, command: str) -> None:
    words = [*command.split(), "--help"]
    code = f"import sys\nfrom compilelint.cli import run\nrun({words!r})\nprint(*sorted(sys.modules), file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "click" in loaded
    assert loaded.isdisjoint({"libcst", "rich", "torch", "numpy", "json", "tomllib", "compilelint.session"})
    ours = {name for name in loaded if name.startswith("compilelint.")}
    listing_of_formats = {"compilelint.report", "compilelint.report.formats"}  # lists a folder, imports nothing of ours
    data = {"compilelint.keys"}  # what `--help` says of the keys; imports nothing of ours
    assert {name.split(".")[1] for name in ours - listing_of_formats - data} == {"cli"}


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


# ------------------------------------------------------- watching and writing


def on_a_terminal(folder: Path, *words: str) -> tuple[str, str]:
    """What stdout and stderr show on terminals of 80 columns."""
    import pty

    streams = [pty.openpty(), pty.openpty()]
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE, "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-c", *words] if words[0].startswith("import") else [*COMMAND, *words]
    subprocess.run(
        command, cwd=folder, env=environment, stdout=streams[0][1], stderr=streams[1][1], check=False, timeout=60
    )
    texts = []
    for main, child in streams:
        os.write(child, b"$")  # so that there is something to read
        texts.append(os.read(main, 1 << 16).decode().removesuffix("$"))
        os.close(child)
        os.close(main)
    return texts[0], texts[1]


COMMAND = [sys.executable, "-m", "compilelint"]


def test_a_long_run_says_what_it_does_and_wipes_it_away(folder: Path) -> None:
    slow = (
        "import time, compilelint.cli.progress as p\n"
        "p.FIRST_AFTER = p._EVERY = 0.02\n"
        "with p.Progress(p.wanted(False, False)) as show:\n    show('reading 3 files'); time.sleep(0.3)\n"
    )
    out, printed = on_a_terminal(folder, slow)
    assert out == ""
    assert "\rcompilelint: reading 3 files (0 s)\x1b[K" in printed
    assert printed.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("quiet", "verbose", "term"), [(True, False, "xterm"), (False, True, "xterm"), (False, False, "dumb")]
)
def test_nothing_is_shown_where_no_terminal_is(
    monkeypatch: pytest.MonkeyPatch, quiet: bool, verbose: bool, term: str
) -> None:
    from compilelint.cli import progress

    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert not progress.wanted(quiet, verbose)


def test_a_short_run_on_a_terminal_shows_no_progress(folder: Path) -> None:
    from compilelint.cli import progress

    started = time.monotonic()
    shown = on_a_terminal(folder, "clean.py")[1]
    assert shown == "" or time.monotonic() - started > progress.FIRST_AFTER


def test_suppressions_are_written_and_the_next_run_is_clean(folder: Path) -> None:
    done = compilelint_in(folder, "--add-ignore=known for now", ".")
    assert (done.returncode, done.stdout) == (0, "1 suppression written in 1 file.\n")
    assert "> 0:  # compilelint: ignore[CL101] known for now\n" in (folder / "breaks.py").read_text(encoding="utf-8")
    assert compilelint_in(folder, ".", "--add-ignore").stdout == "0 suppressions written in 0 files.\n"
    assert compilelint_in(folder, ".").returncode == 0


def test_standard_input(folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE}
    for words in (["-"], ["--stdin-filename", "sub/new.py", "-"], ["check", "--stdin-filename", "sub/new.py"]):
        command = [*COMMAND, *words, "--output", "concise", "--quiet"]
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            input=dedent(BREAKS).lstrip(),
            capture_output=True,
            text=True,
            check=False,
        )
        name = "sub/new.py" if len(words) > 1 else "<stdin>"
        assert done.stdout.startswith(f"{name}:7:12: error[CL101] "), done.stderr


# ----------------------------------------------------------------------- config


def test_config_shows_what_holds_and_who_said_it(folder: Path) -> None:
    (folder / "compilelint.toml").write_text("fail-on = 'error'\nignore = ['CL2']\n", encoding="utf-8")
    done = compilelint_in(folder, "config", "--ignore", "CL3", "--torch-version", "2.9")
    lines = done.stdout.splitlines()
    assert lines[0] == "# compilelint.toml"
    assert 'fail-on = "error"  # compilelint.toml:1' in lines
    assert 'ignore = ["CL2", "CL3"]  # compilelint.toml:2, --ignore' in lines
    assert 'torch-version = "2.9"  # --torch-version' in lines
    assert "min-confidence: likely  # default" in lines
    document = json.loads(compilelint_in(folder, "config", "--output", "json").stdout)
    assert document["settings"]["fail-on"] == {"value": "error", "from": ["compilelint.toml:1"], "default": "warning"}
    assert compilelint_in(folder, "config", "--isolated").stdout.startswith("# no configuration file\n")


def test_the_file_is_obeyed_and_the_command_line_beats_it(folder: Path) -> None:
    (folder / "compilelint.toml").write_text("ignore = ['CL101']\n", encoding="utf-8")
    assert compilelint_in(folder, ".").returncode == 0
    assert compilelint_in(folder, ".", "--select", "CL101").returncode == 1
    assert compilelint_in(folder, ".", "--isolated").returncode == 1
    assert compilelint_in(folder, ".", "--config", "ignore = []").returncode == 0


# ------------------------------------------------------------ shells, new rules


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("compilelint comp", "completion"),
        ("compilelint check --sel", "--select"),
        ("compilelint src --add", "--add-ignore"),
        ("compilelint rule CL10", "CL101"),
        ("compilelint check --select CL2,branch", "CL2,branch-on-tensor"),
    ],
)
def test_shells_are_shown_how_words_go_on(folder: Path, typed: str, offered: str) -> None:
    variables = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_COMPILELINT_COMPLETE": "bash_complete"}
    code = "import compilelint.cli as c; c.main()"
    environment = {**os.environ, "PYTHONPATH": SOURCE_TREE, **variables}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert f"plain,{offered}" in done.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_says_where_its_script_goes(folder: Path, shell: str) -> None:
    done = compilelint_in(folder, "completion", shell)
    assert done.stdout.startswith(f"# compilelint completion {shell} >")
    assert f"_COMPILELINT_COMPLETE={shell}_complete" in done.stdout


def test_a_new_rule_begins_with_three_files_that_work(folder: Path) -> None:
    for name in ("rules", "src/compilelint/checks"):
        (folder / name).mkdir(parents=True)
    done = compilelint_in(folder, "dev", "new-rule", "CL699", "word-of-mouth")
    assert done.stdout.splitlines() == [
        "rules/CL699-word-of-mouth.md",
        "src/compilelint/checks/word_of_mouth.py",
        "tests/checks/test_word_of_mouth.py",
    ]
    page = parse_page((folder / "rules/CL699-word-of-mouth.md").read_text(encoding="utf-8"), "CL699-word-of-mouth.md")
    assert (page.code, page.name) == ("CL699", "word-of-mouth")
    spec = importlib.util.spec_from_file_location("word_of_mouth", folder / "src/compilelint/checks/word_of_mouth.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.word_of_mouth.rule == module.WORD_OF_MOUTH
    compile((folder / "tests/checks/test_word_of_mouth.py").read_text(encoding="utf-8"), "test", "exec")


def test_all_pages_as_text_and_as_json(folder: Path) -> None:
    rules = json.loads(compilelint_in(folder, "rule", "--all", "--output", "json").stdout)["rules"]
    assert {rule["code"]: rule["page"] for rule in rules} == {code: page.text for code, page in pages().items()}
    text = compilelint_in(folder, "rule", "--all").stdout
    assert text.count("\n# CL") == len(rules) - 1


# ------------------------------------------------------------------- all formats


def test_one_run_writes_every_format_with_the_same_findings_and_exit_code(folder: Path) -> None:
    every = [word for name in FORMATS for word in ("--output", f"{name}:out.{name}")]
    done = compilelint_in(folder, "breaks.py", *every)
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    for name in FORMATS:
        assert (folder / f"out.{name}").read_text(encoding="utf-8").count("CL101") >= 1, name


@pytest.mark.parametrize("name", EACH_FORMAT)
def test_the_exit_code_is_the_same_in_every_format(folder: Path, name: str) -> None:
    assert compilelint_in(folder, "breaks.py", "--output", name).returncode == 1
    assert compilelint_in(folder, "breaks.py", "--output", name, "--exit-zero").returncode == 0
    assert compilelint_in(folder, "clean.py", "--output", name).returncode == 0


@pytest.mark.parametrize("name", EACH_FORMAT)
def test_what_is_suppressed_or_in_the_baseline_is_in_no_format(folder: Path, name: str) -> None:
    assert compilelint_in(folder, "breaks.py", "--baseline", "known.json", "--update-baseline").returncode == 0
    done = compilelint_in(folder, "breaks.py", "--baseline", "known.json", "--output", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["summary"]["baselined"] == 1
    source = (folder / "breaks.py").read_text(encoding="utf-8")
    (folder / "ignored.py").write_text(source.replace("> 0:", "> 0:  # noqa: CL101"), encoding="utf-8")
    for words in (["breaks.py", "--baseline", "known.json"], ["ignored.py"]):
        done = compilelint_in(folder, *words, "--output", name)
        assert done.returncode == 0, done.stderr
        if name == "sarif":
            assert json.loads(done.stdout)["runs"][0]["results"] == []
        else:
            assert "CL101" not in done.stdout, name


def test_the_baseline_of_the_configuration_counts_from_its_folder(folder: Path) -> None:
    (folder / "compilelint.toml").write_text('baseline = "known.json"\n', encoding="utf-8")
    assert compilelint_in(folder, "breaks.py", "--update-baseline").returncode == 0
    (folder / "sub").mkdir()
    assert compilelint_in(folder / "sub", "../breaks.py").returncode == 0
    (folder / "known.json").write_text("{}", encoding="utf-8")
    broken = compilelint_in(folder / "sub", "../breaks.py")
    assert broken.returncode == 2
    assert "the file is not a baseline of version 1 (" in broken.stderr


def test_a_base_that_git_does_not_know_is_refused(folder: Path) -> None:
    outside = compilelint_in(folder, "breaks.py", "--diff-base", "main")
    assert outside.returncode == 2
    assert "is not in a git repository (--diff-base main)" in outside.stderr
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    unknown = compilelint_in(folder, "breaks.py", "--diff-base", "main")
    assert unknown.returncode == 2
    assert "git does not know the revision 'main' (--diff-base main)" in unknown.stderr
