"""The baseline: what is written down stays quiet wherever it moves, and nothing else does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compilelint.config import Options, UsageError
from compilelint.model import Confidence, Effect, Finding, Location, Rule, Span
from compilelint.report.report import Report
from compilelint.rulebook import UNPARSABLE_FILE
from compilelint.session.commands.lint import lint
from compilelint.session.pipeline.baseline import Baseline, Entry, Scope, read_baseline, update_baseline

READ = Rule("CL102", "host-read", "tensor data is read into Python", Effect.GRAPH_BREAK)
PRINT = Rule("CL201", "print-call", "`print` runs in Python", Effect.GRAPH_BREAK)
CODES = frozenset({"CL102", "CL201"})


def finding(line: int, text: str, *, function: str = "f", rule: Rule = READ, path: str = "/p/a.py") -> Finding:
    place = Location(path, Span(line, 1, line, 2))
    return Finding(rule, "message", rule.effects, Confidence.CERTAIN, place, function=function, line_text=text)


# --------------------------------------------------------------- the property

# A program is a list of lines; a line is bad if it holds a read, and its text is what identifies it.
TEXTS = st.sampled_from(["x.item()", "y.item()", "print(x)", "x = x + 1"])
FUNCTIONS = st.sampled_from(["f", "g", "Net.forward"])
PROGRAMS = st.lists(st.tuples(FUNCTIONS, TEXTS), max_size=12)


def findings_of(program: list[tuple[str, str]], shift: int, margin: str) -> list[Finding]:
    """What a linter says of a program that stands `shift` lines further down and is indented by `margin`."""
    rules = {"print(x)": PRINT, "x.item()": READ, "y.item()": READ}
    return [
        finding(number + shift, margin + text.replace(" ", margin or " "), function=function, rule=rules[text])
        for number, (function, text) in enumerate(program, 1)
        if text in rules
    ]


@settings(max_examples=300, deadline=None)
@given(
    old=PROGRAMS,
    added=st.lists(st.tuples(FUNCTIONS, TEXTS, st.integers(0, 20)), max_size=4),
    removed=st.sets(st.integers(0, 11), max_size=4),
    shift=st.integers(0, 1000),
    margin=st.sampled_from(["", " ", "    ", "\t", "\t  "]),
)
def test_nothing_old_resurrects_and_nothing_new_hides(
    old: list[tuple[str, str]],
    added: list[tuple[str, str, int]],
    removed: set[int],
    shift: int,
    margin: str,
) -> None:
    """However lines are inserted, deleted, moved, indented or copied: of each kind of line exactly as many are left
    as there are more than before.
    """
    before = findings_of(old, 0, "")
    empty = Baseline("/p/baseline.json", {})
    counts: dict[Entry, int] = {}
    for one in before:
        counts[empty.entry(one)] = counts.get(empty.entry(one), 0) + 1
    baseline = Baseline("/p/baseline.json", counts)
    program = [line for number, line in enumerate(old) if number not in removed]
    for function, text, at in added:
        program.insert(min(at, len(program)), (function, text))
    after = findings_of(program, shift, margin)

    left, used = baseline.filter(after)

    now: dict[Entry, int] = {}
    for one in after:
        now[baseline.entry(one)] = now.get(baseline.entry(one), 0) + 1
    for entry in {*counts, *now}:
        more = max(now.get(entry, 0) - counts.get(entry, 0), 0)
        assert sum(baseline.entry(one) == entry for one in left) == more, entry
    assert left == [one for one in after if one in left], "the order of the report is kept"
    unused = baseline.unused(used, Scope(frozenset({"/p/a.py"}), CODES))
    gone = {entry: count - now.get(entry, 0) for entry, count in counts.items() if count > now.get(entry, 0)}
    assert unused == gone


def test_of_lines_that_are_alike_the_changed_one_is_reported() -> None:
    one, two = finding(1, "x.item()"), finding(9, "x.item()")
    baseline = Baseline("/p/baseline.json", {Entry("CL102", "a.py", "f", "x.item()"): 1})
    assert baseline.filter([one, two])[0] == [two]
    assert baseline.filter([one, two], lambda this: this is one)[0] == [one]


def test_another_rule_file_function_or_text_is_not_held() -> None:
    known = finding(1, "x.item()")
    baseline = Baseline("/p/baseline.json", {Entry("CL102", "a.py", "f", "x.item()"): 9})
    others = [
        replace(known, rule=PRINT),
        replace(known, location=Location("/p/b.py", known.location.span)),
        replace(known, function="g"),
        replace(known, line_text="z.item()"),
    ]
    assert baseline.filter([known, *others])[0] == others


def test_a_file_that_cannot_be_read_is_never_held(tmp_path: Path) -> None:
    refused = finding(1, "def f(:", rule=UNPARSABLE_FILE)
    baseline = Baseline(str(tmp_path / "baseline.json"), {})
    written = update_baseline(baseline, [refused], Scope(frozenset(), CODES))
    assert not written.allowed
    assert Baseline("/p/b.json", {Entry("CL901", "a.py", "f", "def f(:"): 1}).filter([refused])[0] == [refused]


@pytest.mark.parametrize(
    ("scope", "judged"),
    [
        pytest.param(Scope(frozenset({"/p/a.py"}), CODES), True, id="the file was linted"),
        pytest.param(Scope(frozenset(), CODES), True, id="the file is gone"),
        pytest.param(Scope(frozenset({"/p/a.py"}), frozenset({"CL201"})), False, id="the rule did not take part"),
        pytest.param(
            Scope(frozenset({"/p/a.py"}), CODES, frozenset({Entry("CL102", "a.py", "f", "x")})), False, id="too unsure"
        ),
    ],
)
def test_only_what_the_run_could_judge_is_called_unused(scope: Scope, judged: bool) -> None:
    entry = Entry("CL102", "a.py", "f", "x")
    baseline = Baseline("/p/baseline.json", {entry: 2})
    _, used = baseline.filter([])
    assert baseline.unused(used, scope) == ({entry: 2} if judged else {})


def test_an_entry_of_a_file_that_was_not_linted_is_kept(tmp_path: Path) -> None:
    (tmp_path / "there.py").touch()
    there, gone = Entry("CL102", "there.py", "f", "x"), Entry("CL102", "gone.py", "f", "x")
    old = Baseline(str(tmp_path / "baseline.json"), {there: 1, gone: 1})
    new = update_baseline(old, [], Scope(frozenset(), CODES))
    assert new.allowed == {there: 1}


# ----------------------------------------------------------------- the file


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "the baseline is not JSON"),
        ("[]", "the file is not a baseline of version 1"),
        ('{"schema_version": 2, "entries": []}', "the file is not a baseline of version 1"),
        ('{"schema_version": 1}', "the baseline has no list of entries"),
        (
            '{"schema_version": 1, "entries": [{"rule": "CL101"}]}',
            "entry 1 of the baseline is incomplete: it needs rule, path, function, text, count",
        ),
        (
            '{"schema_version": 1, "entries": [{"rule":"CL1","path":"","function":"","text":"","count":true}]}',
            "entry 1 of the baseline is incomplete",
        ),
        ("[" * 100_000, "the baseline cannot be read: nested too deeply"),
    ],
)
def test_a_broken_baseline_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=complaint) as caught:
        read_baseline(str(file), "--baseline baseline.json")
    assert "(--baseline baseline.json)" in str(caught.value)
    assert "--update-baseline" in caught.value.hint


def test_a_missing_baseline_is_refused_unless_it_is_to_be_written(tmp_path: Path) -> None:
    file = str(tmp_path / "none.json")
    with pytest.raises(UsageError, match="no such baseline"):
        read_baseline(file, "--baseline")
    assert not read_baseline(file, "--baseline", may_be_new=True).allowed
    with pytest.raises(UsageError, match="the baseline cannot be read"):
        read_baseline(str(tmp_path), "--baseline")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = (tmp_path / "ä b.py").as_posix()
    file = tmp_path / "baseline.json"
    known = [finding(1, '  s = "\ud800é"  # \x1b', path=path), finding(5, "x", path=path), finding(6, "x", path=path)]
    written = update_baseline(Baseline(str(file), {}), known, Scope(frozenset(), CODES))
    again = read_baseline(str(file), "--baseline")
    assert again == written
    assert sorted(again.allowed.values()) == [1, 2]
    assert again.filter(known)[0] == []
    assert json.loads(file.read_bytes())["entries"][1] == {
        "rule": "CL102",
        "path": "ä b.py",
        "function": "f",
        "text": "x",
        "count": 2,
    }


# ------------------------------------------------------------ through the session

HEAD = "import torch\n\n\n"
BODY = "def f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x * x.item()\n    return x\n"


def run(folder: Path, **options: Any) -> Report:
    return lint(Options((str(folder / "a.py"),), baseline=str(folder / "known.json"), **options))


def test_a_run_against_its_own_baseline_is_quiet_after_every_honest_move(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(HEAD + BODY, encoding="utf-8")
    first = run(tmp_path, update_baseline=True)
    assert not first.findings
    assert first.baselined == 2
    for text in (
        HEAD + BODY,
        HEAD + "def other(a):\n    return a\n\n\n" + BODY,
        HEAD + "if True:\n" + indent(BODY, "    "),
        (HEAD + BODY).replace("    ", "\t"),
        (HEAD + BODY).replace("\n", "\r\n"),
    ):
        file.write_bytes(text.encode())
        report = run(tmp_path)
        assert not report.findings, text
        assert report.baselined == 2
        assert not [notice for notice in report.notices if notice.kind == "baseline"]


def test_a_copied_line_is_reported_and_a_fixed_one_is_called_unused(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(HEAD + BODY, encoding="utf-8")
    run(tmp_path, update_baseline=True)
    file.write_text(HEAD + BODY + BODY.split("\n", 1)[1].replace("return x\n", "return x\n", 1), encoding="utf-8")
    copied = HEAD + BODY.replace("    return x\n", "    if x.sum() > 0:\n        x = x + 1\n    return x\n")
    file.write_text(copied, encoding="utf-8")
    assert [one.location.span.line for one in run(tmp_path).findings] == [7]
    file.write_text(HEAD + BODY.replace("x * x.item()", "x"), encoding="utf-8")
    report = run(tmp_path)
    assert not report.findings
    (notice,) = [notice for notice in report.notices if notice.kind == "baseline"]
    assert notice.text == "the baseline has findings that are gone: CL102 in a.py; --update-baseline drops it"
    run(tmp_path, update_baseline=True)
    assert len(read_baseline(str(tmp_path / "known.json"), "").allowed) == 1


def test_contradictions_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(HEAD, encoding="utf-8")
    with pytest.raises(UsageError, match="there is no baseline to update"):
        lint(Options((str(tmp_path / "a.py"),), update_baseline=True))
    with pytest.raises(UsageError, match="would forget the rest"):
        run(tmp_path, update_baseline=True, diff_base="HEAD")
