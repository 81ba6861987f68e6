"""`compilelint trace` on recorded runs: what it prints, in every format, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from compilelint.cli import run
from compilelint.cli.trace import OF_FINDINGS
from tests.trace.recordings import PROGRAMS, TRACES, run_of


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of the programs that the recordings are of."""
    shutil.copytree(PROGRAMS, tmp_path / "src")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def data_of(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    run(["trace", *words, "--output", "json"])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_breaks_stand_on_the_users_lines_with_rule_and_cost(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", str(run_of("breaks") / "trace.log"), "--color", "never"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("4 graph breaks, 1 recompile in 6 compiles of 11 s\n")
    assert "src/p01_breaks.py:13 graph break: Data-dependent branching GB0170\n     | if x.sum() > 0:\n" in shown
    assert "lint: confirmed: CL101 `if` depends on the data of `x.sum() > 0` (`compilelint rule CL101`)" in shown
    assert "write: compute both sides and choose with `torch.where`" in shown
    assert "       compilelint check src/p01_breaks.py --unsafe-fixes --diff\n" in shown
    assert "not seen in this run" not in shown, "only what the run went through was linted"


@pytest.mark.parametrize("program", ["breaks", "skipped"])
def test_a_line_breaks_the_rule_that_a_lint_names(job: Path, capsys: pytest.CaptureFixture[str], program: str) -> None:
    found = data_of(capsys, str(run_of(program) / "trace.log"))["causes"]
    assert isinstance(found, list)
    run(["check", "src", "--output", "json", "--no-cache"])
    linted = {
        (Path(one["path"]).name, one["line"], one["rule"]) for one in json.loads(capsys.readouterr().out)["findings"]
    }
    named = {
        (Path(one["path"]).name, one["line"], code) for one in found if one["kind"] == "break" for code in one["rules"]
    }
    assert len({line for _, line, _ in named}) == 3
    assert named <= linted


@pytest.mark.parametrize(
    ("called", "code"),
    [("`print`", "CL201"), ("`time.time.`", "CL204"), ("`pkg.native.`", "CL606"), ("print", "CL606")],
    ids=["torch names print", "a name ends with a full stop", "nothing is known of it", "no name stands there"],
)
def test_without_a_lint_the_rule_goes_by_what_torch_says_was_called(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], called: str, code: str
) -> None:
    log = tmp_path / "a.log"
    log.write_text((run_of("breaks") / "logs.txt").read_text().replace("builtin operator `print`", f"builtin {called}"))
    found = data_of(capsys, str(log), "--no-lint")["causes"]
    assert isinstance(found, list)
    assert [one["rules"] for one in found if one["line"] == 15] == [[code]]


def test_a_checkout_that_cannot_be_linted_leaves_the_log_readable(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (job / "compilelint.toml").write_text("select = 7\n")
    assert run(["trace", str(run_of("breaks") / "trace.log")]) == 1
    captured = capsys.readouterr()
    assert "compilelint rule CL101" in captured.out
    assert "note: the files of the run were not linted: " in captured.err
    assert run(["trace", str(run_of("breaks") / "trace.log"), "--lint"]) == 2


def test_lines_that_moved_are_mapped_by_their_text_and_said_so(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = job / "src/p01_breaks.py"
    program.write_text("# one\n# two\n" + program.read_text())
    run(["trace", str(run_of("breaks") / "trace.log")])
    shown = capsys.readouterr().out
    assert "src/p01_breaks.py:15 graph break: Data-dependent branching" in shown
    assert "moved here by its text from line 13" in shown


def test_a_frame_behind_a_break_stands_at_the_break(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = data_of(capsys, str(run_of("error") / "trace.log"))["causes"]
    assert isinstance(found, list)
    again = [(one["line"], one["match"]) for one in found if one["kind"] == "recompile"]
    assert (6, "moved") not in again
    assert {match for _, match in again} <= {"same", "unchecked"}


def test_a_recompile_names_its_value_and_the_line_to_paste(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["trace", str(run_of("size") / "trace.log")])
    shown = capsys.readouterr().out
    assert "`attend` is recompiled: size 1 of `k` was 8, 9" in shown
    assert "torch._dynamo.mark_dynamic(k, 1)" in shown
    assert "TORCH_COMPILE_DYNAMIC_SOURCES=\"L['k']\"" in shown


def test_instances_that_share_code_are_known_from_state(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def instances(name: str) -> dict[str, bool]:
        found = data_of(capsys, str(run_of(name) / "trace.log"))["causes"]
        assert isinstance(found, list)
        return {one["guard"]["source"]: one["instances"] for one in found if one["kind"] == "recompile"}

    assert instances("instance")["L['self'].scale"] is True
    assert instances("state") == {"L['self'].step": False}


def test_ranks_that_compile_differently_are_named_with_the_line(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    device = TRACES / "device"
    run(["trace", str(device / "rank_0.log.gz"), str(device / "rank_1.log.gz"), "--checkout", str(device)])
    shown = capsys.readouterr().out
    assert "seen: 2 times in 2 frames on ranks 0, 1" in shown
    line = "`forward` (t.py:7) has 4 operations, 3 on rank 0"
    assert f"ranks: rank 1 differs from rank 0 at compile 5: {line}" in shown


def test_what_cuda_graphs_left_out_is_on_its_line(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["trace", str(TRACES / "device" / "logs.txt.gz"), "--checkout", str(TRACES / "device")])
    assert "left out of CUDA graphs: skipping cudagraphs due to mutated inputs (1 instances)" in capsys.readouterr().out


def test_a_lint_is_joined_finding_by_finding(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = data_of(capsys, str(run_of("breaks") / "trace.log"), "--lint")
    causes, unseen = found["causes"], found["not_seen"]
    assert isinstance(causes, list)
    assert isinstance(unseen, list)
    confirmed = {(one["line"], one["finding"]["code"]) for one in causes if one["finding"]}
    assert (13, "CL101") in confirmed
    assert not [one for one in unseen if one["path"].endswith("p01_breaks.py") and one["line"] == 13]
    assert [one for one in unseen if one["path"].endswith("p06_skipped.py")], "of another program"


@pytest.mark.parametrize("form", OF_FINDINGS)
def test_formats_of_findings_show_each_cause(job: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    run(["trace", str(run_of("breaks") / "trace.log"), "--output", form])
    shown = capsys.readouterr().out
    assert "depends on the data of" in shown
    assert form == "markdown" or "p01_breaks.py" in shown, "Markdown lists by rule"


def test_the_page_is_inert(job: Path, tmp_path: Path) -> None:
    log = tmp_path / "evil.log"
    text = (run_of("breaks") / "trace.log").read_text()
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    log.write_text(text.replace("Data-dependent branching", evil).replace("in forward", f"in {evil}"))
    run(["trace", str(log), "--output", f"html:{tmp_path / 'page.html'}", "-q"])
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page
    assert re.search(r'<svg class="chart timeline"', page)


def test_what_a_log_says_cannot_move_the_cursor(job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "evil.log"
    text = (run_of("breaks") / "logs.txt").read_text()
    log.write_text(text.replace("Data-dependent branching", "\x1b[2J\x1b]0;owned\x07"))
    run(["trace", str(log)])
    assert "\x1b" not in capsys.readouterr().out


def test_an_older_run_shows_what_changed(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new, old = str(run_of("breaks") / "trace.log"), str(run_of("skipped") / "trace.log")
    run(["trace", new, "--against", old])
    shown = capsys.readouterr().out
    assert "new: src/p01_breaks.py:13: graph break: Data-dependent branching" in shown
    assert "gone: " in shown
    run(["trace", new, "--against", new])
    assert "Nothing changed since the older run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["absent.log"], "cannot read the log"),
        (["src/p01_breaks.py"], "no line of torch's logs is in it"),
        (["src"], "cannot read the log: there is no log in the folder"),
        (["src/p01_breaks.py", "--output", "grouped"], "no traces in 'grouped'"),
    ],
    ids=["no such file", "another kind of file", "no log below", "no such format"],
)
def test_what_is_no_log_is_refused(
    job: Path, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    assert run(["trace", *words]) == 2
    assert complaint in capsys.readouterr().err


def test_a_run_without_breaks_and_recompiles_exits_with_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "clean.log"
    lines = (run_of("size") / "trace.log").read_text().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if "recompile_reasons" in line)
    log.write_text("".join(lines[:at]))
    assert run(["trace", str(log)]) == 0
    assert capsys.readouterr().out.startswith("0 graph breaks, 0 recompiles in 1 compile of ")


def test_check_says_of_each_finding_whether_the_run_showed_it(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = str(run_of("breaks") / "trace.log")
    assert run(["check", "src", "--trace", log, "--output", "json", "--output", "grouped:page", "--no-cache"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert run(["trace", log, "--no-lint", "--checkout", "src", "--output", "json"]) == 1
    causes = json.loads(capsys.readouterr().out)["causes"]
    first = re.findall(
        r"^ +\d\. \S*p01_breaks.py:(\d+)\b.*\n.*seen .* in the run trace.log", Path("page").read_text(), re.M
    )
    assert [int(line) for line in first] == [one["line"] for one in causes], "the page lists them as the log does"
    outcomes = {(Path(one["path"]).name, one["line"], one["rule"]): one["verdict"] for one in findings}
    assert outcomes["p01_breaks.py", 13, "CL101"]["outcome"] == "confirmed"
    assert outcomes["p06_skipped.py", 23, "CL618"]["outcome"] == "not-reached"
    assert outcomes["p06_skipped.py", 23, "CL618"]["detail"] == "not seen in the run trace.log"
    assert outcomes["p01_breaks.py", 16, "CL908"]["outcome"] == "run-only"
