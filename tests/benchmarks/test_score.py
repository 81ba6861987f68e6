"""The scorer's definitions, one by one on made-up tables, then all at once against recorded reference numbers."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import score

TRUTH = Path(__file__).parents[2] / "benchmarks" / "truth"
REFERENCE = Path(__file__).parents[1] / "data" / "scorer_reference.json"
LIBRARIES = ("transformers-5.23.0-torch-2.13.0.jsonl.gz", "diffusers-0.42.1-torch-2.13.0.jsonl.gz")
SMALL = "micro/labels-torch-2.13.jsonl.gz"
SMALL_ROOT = TRUTH / "micro" / "cases"


def brk(line: int, span: tuple[int, int] | None = None, file: str = "pkg/a.py", **more: Any) -> dict[str, Any]:
    return {"file": file, "line": line, "span": span, "gb": "GB0170", "gb_type": "Branching", "secondary": None} | more


def case(name: str, traced: Mapping[str, Sequence[int]], *breaks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"case": name, "traced_lines": traced, "breaks": list(breaks)} | more


def finding(line: int, end_line: int | None = None, file: str = "pkg/a.py", **more: Any) -> dict[str, Any]:
    place = {"path": f"/root-of-truth/{file}", "line": line, "end_line": end_line or line}
    return {"rule": "CL101", "effect": "graph-break", "confidence": "certain", "message": "m"} | place | more


def hits(*findings: dict[str, Any], **options: Any) -> list[score.Hit]:
    return score.hits_of({"findings": list(findings)}, "/root-of-truth", **options)


def table(cases: Sequence[dict[str, Any]], *findings: dict[str, Any]) -> score.Table:
    truth, found = score.truth_of(cases), hits(*findings)
    return score.summary(truth, score.judge(truth, found), found, "likely")


def counts(cases: Sequence[dict[str, Any]], *findings: dict[str, Any]) -> tuple[int, int, int, int]:
    """True positives, false positives, unjudged, breaks found."""
    row = table(cases, *findings)
    return row["true_positives"], row["false_positives"], row["unjudged"], row["found"]


ONE_BREAK = [case("c", {"pkg/a.py": [1, 2, 3, 30]}, brk(10, (10, 12)))]
LONG_BREAK = [case("c", {"pkg/a.py": [100]}, brk(10, (10, 40)))]
LATE_BREAK = [case("c", {"pkg/a.py": [100]}, brk(38, (10, 40)))]


@pytest.mark.parametrize(
    ("cases", "findings", "expected"),
    [
        pytest.param(ONE_BREAK, [finding(10)], (1, 0, 0, 1), id="on the line of the break"),
        pytest.param(ONE_BREAK, [finding(12)], (1, 0, 0, 1), id="elsewhere in the statement that breaks"),
        pytest.param(ONE_BREAK, [finding(9, 11)], (1, 0, 0, 1), id="span reaches into the statement"),
        pytest.param(ONE_BREAK, [finding(10), finding(11)], (1, 0, 0, 1), id="second finding counts nowhere"),
        pytest.param(ONE_BREAK, [finding(2)], (0, 1, 0, 0), id="traced and clean"),
        pytest.param(ONE_BREAK, [finding(2), finding(2, 3)], (0, 1, 0, 0), id="two findings on a line are one place"),
        pytest.param(ONE_BREAK, [finding(20)], (0, 0, 1, 0), id="never traced"),
        pytest.param(ONE_BREAK, [finding(2, file="pkg/b.py")], (0, 0, 1, 0), id="file not in the truth"),
        pytest.param(ONE_BREAK, [finding(8, 12)], (1, 0, 0, 1), id="third line of a finding still counts"),
        pytest.param(ONE_BREAK, [finding(7, 12)], (0, 0, 1, 0), id="fourth line of a finding is cut off"),
        pytest.param(LONG_BREAK, [finding(24)], (1, 0, 0, 1), id="fifteenth line of a statement counts"),
        pytest.param(LONG_BREAK, [finding(25)], (0, 0, 1, 0), id="sixteenth line of a statement is cut off"),
        pytest.param(LATE_BREAK, [finding(38)], (1, 0, 0, 1), id="the break's own line is never cut off"),
    ],
)
def test_a_finding_is_judged(
    cases: list[dict[str, Any]], findings: list[dict[str, Any]], expected: tuple[int, int, int, int]
) -> None:
    assert counts(cases, *findings) == expected


def test_a_second_finding_that_meets_an_unclaimed_break_counts() -> None:
    cases = [case("c", {}, brk(10, (10, 12)), brk(14, (14, 14)))]
    assert counts(cases, finding(10), finding(12, 14)) == (2, 0, 0, 2)


def test_one_finding_can_meet_two_breaks_and_is_one_true_positive() -> None:
    assert counts([case("c", {}, brk(10), brk(11))], finding(10, 11)) == (1, 0, 0, 2)


def test_secondary_breaks_are_never_counted_and_make_their_lines_unjudged() -> None:
    cases = [case("c", {"pkg/a.py": [10, 11]}, brk(10, (10, 11), secondary="recompile-limit"))]
    row = table(cases, finding(11))
    assert (row["break_lines"], row["unjudged"], row["false_positives"], row["clean_cases"]) == (0, 1, 0, 1)


def test_a_break_in_any_case_makes_the_line_a_break() -> None:
    cases = [case("clean", {"pkg/a.py": [10]}), case("breaks", {}, brk(10))]
    assert counts(cases, finding(10)) == (1, 0, 0, 1)


def test_a_span_that_holds_a_traced_line_is_judged() -> None:
    assert counts(ONE_BREAK, finding(29, 30)) == (0, 1, 0, 0)


def test_a_missed_break_lowers_recall_only() -> None:
    row = table([case("c", {}, brk(10), brk(20))], finding(10))
    assert (row["recall"], row["precision"], row["f1"]) == (0.5, 1.0, 0.6667)


def test_cases_are_caught_and_alarmed() -> None:
    cases = [
        case("caught", {}, brk(10)),
        case("missed", {}, brk(20)),
        case("quiet", {"pkg/a.py": [1]}),
        case("alarmed by the whole span", {"pkg/a.py": [56]}),
        case("traced", {"pkg/a.py": [50]}),
    ]
    row = table(cases, finding(10), finding(50, 56))
    assert (row["breaking_cases"], row["breaking_cases_caught"]) == (2, 1)
    assert (row["clean_cases"], row["clean_cases_with_a_false_alarm"]) == (3, 2)


def test_recall_is_split_by_graph_break_id_and_precision_by_rule() -> None:
    cases = [case("c", {"pkg/a.py": [1]}, brk(10), brk(20, gb="GB0124"), brk(30))]
    row = table(cases, finding(10), finding(20, rule="CL102"), finding(1, rule="CL102"))
    assert row["recall_by_graph_break_id"] == {"GB0170": "1/2", "GB0124": "1/1"}
    assert row["by_rule"] == {"CL101": {"tp": 1, "fp": 0}, "CL102": {"tp": 1, "fp": 1}}


def test_only_findings_of_the_effect_and_at_least_the_confidence_are_scored() -> None:
    findings = [
        finding(1, effect="slow"),
        finding(2, effect="sync", effects=["sync", "graph-break"]),
        finding(3, confidence="possible"),
        finding(4, confidence="likely"),
    ]
    assert [hit.first for hit in hits(*findings)] == [2, 4]
    assert [hit.first for hit in hits(*findings, min_confidence="possible")] == [2, 3, 4]
    assert [hit.first for hit in hits(*findings, min_confidence="certain")] == [2]
    assert [hit.first for hit in hits(*findings, effect="slow")] == [1]


@pytest.mark.parametrize("hole", [{"path": None}, {"line": None}, {"line": "7"}])
def test_a_finding_without_a_place_is_refused(hole: dict[str, Any]) -> None:
    with pytest.raises(score.BadReportError, match="without path or line"):
        hits(finding(1) | hole)


def test_packages_are_folders_or_files_below_the_root() -> None:
    assert score.in_scope("pkg/a.py", ["pkg/"])
    assert score.in_scope("pkg/a.py", ["pkg/a.py"])
    assert not score.in_scope("pkg2/a.py", ["pkg"])
    cases = [case("c", {"pkg/a.py": [1], "other/b.py": [1]}, brk(10), brk(10, file="other/b.py"))]
    assert list(score.truth_of(cases, ["other"]).sites) == [score.Place("other/b.py", 10)]
    assert [hit.file for hit in hits(finding(1), finding(1, file="other/b.py"), packages=["other"])] == ["other/b.py"]


@pytest.mark.parametrize(
    ("file", "family"),
    [
        ("transformers/models/bert/modeling_bert.py", "transformers/models/bert"),
        ("transformers/models/bert/deep/er.py", "transformers/models/bert"),
        ("transformers/cache_utils.py", "transformers"),
        ("near_pairs.py", "near_pairs.py"),
    ],
)
def test_the_family_is_the_folder_cut_to_three_components(file: str, family: str) -> None:
    assert score.family_of(file) == family


def test_families_are_scored_apart() -> None:
    a, b, c = "lib/models/a/m.py", "lib/models/b/m.py", "lib/models/c/m.py"
    cases = [case("c", {a: [1], c: [5]}, brk(10, file=a), brk(20, file=a), brk(7, file=b))]
    truth = score.truth_of(cases)
    judgement = score.judge(truth, hits(finding(10, file=a), finding(1, file=a), finding(5, file=c)))
    rows = score.family_summary(truth, judgement)
    assert list(rows) == ["lib/models/a", "lib/models/b", "lib/models/c"]
    assert (rows["lib/models/a"]["recall"], rows["lib/models/a"]["precision"]) == (0.5, 0.5)
    assert (rows["lib/models/b"]["recall"], rows["lib/models/b"]["precision"]) == (0.0, None)
    assert (rows["lib/models/c"]["recall"], rows["lib/models/c"]["precision"]) == (None, 0.0)


def test_distinct_gives_one_vote_to_each_text(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("if x.sum():\n    y = 1\n  if x.sum():\nz = x.item()\n", encoding="utf-8")
    truth = score.truth_of([case("c", {"a.py": [2]}, *(brk(n, file="a.py") for n in (1, 3, 4)))])
    report = {"findings": [finding(n) | {"path": str(tmp_path / "a.py")} for n in (1, 2)]}
    judgement = score.judge(truth, score.hits_of(report, tmp_path))
    row = score.distinct_summary(truth, judgement, score.SourceTexts(tmp_path))
    assert row == {"break_texts": 2, "found": 1, "recall": 0.5, "false_texts": 1, "precision": 0.5}


def test_a_line_that_cannot_be_read_is_its_own_text(tmp_path: Path) -> None:
    assert score.SourceTexts(tmp_path)("gone.py", 3) == "gone.py:3"


def test_texts_that_stand_in_another_truth_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("if x.sum():\nz = x.item()\nif x.sum():\nw = 1\nw = 1\n", encoding="utf-8")
    cases = [case("c", {"a.py": [4]}, *(brk(n, file="a.py") for n in (1, 2)))]
    other = [case("o", {"a.py": [5]}, brk(3, file="a.py"))]
    report = {"findings": [finding(n) | {"path": str(tmp_path / "a.py")} for n in (1, 2, 4)]}
    texts = score.SourceTexts(tmp_path)
    remaining = {}
    for distinct in (False, True):
        truth, found = score.truth_of(cases), score.hits_of(report, tmp_path)
        judgement = score.judge(truth, found)
        score.leave_out(truth, judgement, other, texts, distinct)
        row = score.summary(truth, judgement, found, "likely")
        remaining[distinct] = (row["break_lines"], row["found"], row["true_positives"], row["false_positives"])
    assert remaining == {False: (1, 1, 1, 1), True: (1, 1, 1, 0)}


def test_recompiles_are_scored_by_case() -> None:
    cases = [
        case("found", {"a.py": [1]}, label="recompile", recompile_cause="state"),
        case("missed", {"a.py": [2]}, label="recompile", recompile_cause="state"),
        case("varying input", {"a.py": [1]}, label="recompile", recompile_cause="input"),
        case("alarmed", {"a.py": [1]}, label="clean"),
        case("quiet", {"a.py": [2]}, label="clean"),
        case("breaks", {"a.py": [1]}, brk(1, file="a.py"), label="break"),
    ]
    row, mistakes = score.recompile_summary(
        cases, hits(finding(1, file="a.py", effect="recompile"), effect="recompile")
    )
    assert (row["recompiling_cases"], row["found"], row["recall"]) == (2, 1, 0.5)
    assert (row["clean_cases"], row["false_positives"], row["precision"]) == (2, 1, 0.5)
    assert mistakes == {"missed": ["missed"], "false alarm": ["alarmed"]}


def test_the_command_prints_the_table_and_the_misses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, report = tmp_path / "truth.jsonl", tmp_path / "report.json"
    truth.write_text(json.dumps(case("c", {"pkg/a.py": [1]}, brk(10), brk(20))) + "\n\n", encoding="utf-8")
    report.write_text(json.dumps({"findings": [finding(10), finding(1)]}), encoding="utf-8")
    options = [str(report), str(truth), "--root", "/root-of-truth"]
    assert score.main([*options, "--json", "--by-family"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["precision"], row["recall"], row["by_family"]["pkg"]["found"]) == (0.5, 0.5, 1)
    assert score.main([*options, "--misses", "5"]) == 0
    shown = capsys.readouterr().out
    assert "pkg/a.py:20  GB0170  Branching  (1 cases)" in shown
    assert "pkg/a.py:1  CL101  m" in shown


def test_the_command_refuses_what_cannot_be_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"findings": [finding(1) | {"line": None}]}), encoding="utf-8")
    for extra in ([], ["--by-family", "--distinct"]):
        with pytest.raises(SystemExit) as stop:
            score.main([str(report), str(TRUTH / SMALL), "--root", "/root-of-truth", *extra])
        assert stop.value.code == 2
    assert "without path or line" in capsys.readouterr().err


@functools.cache
def recorded(*names: str) -> list[score.Case]:
    return list(score.read_cases(TRUTH / name for name in names))


def random_report(seed: int, cases: Sequence[score.Case], root: Path) -> dict[str, Any]:
    """Return 60 findings on and near lines that the cases traced or broke, the same for a seed on every Python."""
    random = Random(seed)
    breaks = [(entry["file"], entry["line"]) for case in cases for entry in case["breaks"]]
    files = sorted({file for case in cases for file in case["traced_lines"]})
    findings = []
    for _ in range(60):
        if random.random() < 0.5:
            file, line = breaks[random.randrange(len(breaks))]
            line = max(1, line + random.randrange(-4, 3))
        elif random.random() < 0.8:
            lines = cases[random.randrange(len(cases))]["traced_lines"]
            file = sorted(lines)[random.randrange(len(lines))]
            line = lines[file][random.randrange(len(lines[file]))]
        else:
            file, line = files[random.randrange(len(files))], random.randrange(1, 900)
        effect = ("graph-break", "graph-break", "graph-break", "recompile", "sync")[random.randrange(5)]
        row: dict[str, Any] = {"rule": f"CL10{random.randrange(4)}", "path": str(root / file), "line": line}
        row |= {"effect": effect, "end_line": (None, line, line + 1, line + random.randrange(9))[random.randrange(4)]}
        if random.random() < 0.3:
            row["effects"] = [effect, "graph-break"] if random.random() < 0.5 else [effect]
        if random.random() < 0.9:
            row["confidence"] = ("certain", "likely", "possible")[random.randrange(3)]
        findings.append(row)
    return {"findings": findings}


def scored(entry: Mapping[str, Any]) -> score.Table:
    """Score the seeded report of a reference entry as its options say."""
    root = TRUTH / entry["root"]
    cases = recorded(*entry["truth"])
    report = random_report(entry["seed"], cases, root)
    effect, confidence = entry["effect"], entry["min_confidence"]
    found = score.hits_of(report, root, effect, confidence, entry["package"])
    if effect == "recompile":
        return score.recompile_summary(cases, found)[0]
    truth = score.truth_of(cases, entry["package"])
    judgement = score.judge(truth, found)
    texts = score.SourceTexts(root)
    if entry["exclude_texts"]:
        score.leave_out(truth, judgement, recorded(*entry["exclude_texts"]), texts, entry["distinct"])
    if entry["distinct"]:
        return score.distinct_summary(truth, judgement, texts)
    return score.summary(truth, judgement, found, confidence)


def reference_groups() -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = json.loads(REFERENCE.read_text(encoding="utf-8"))["groups"]
    return groups


@pytest.mark.parametrize("group", reference_groups(), ids=lambda group: group["name"])
def test_the_scorer_agrees_with_the_reference_numbers(group: dict[str, Any]) -> None:
    """The numbers were made by an independent scorer of the same definitions, over the same seeded reports."""
    for seed, *expected in group["rows"]:
        row = scored(group["options"] | {"seed": seed})
        assert [row[column] for column in group["columns"]] == expected, f"seed {seed}"


def test_the_reference_holds_enough_and_varied_numbers() -> None:
    groups = reference_groups()
    assert sum(len(group["rows"]) for group in groups) >= 200
    for group in groups:
        results = [row[1:] for row in group["rows"]]
        assert len({tuple(row) for row in results}) > len(results) // 4, group["name"]


LINES = st.integers(min_value=1, max_value=40)
SPANS = st.tuples(LINES, st.integers(min_value=0, max_value=20)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(LINES, max_size=20), st.lists(SPANS, max_size=6), st.lists(SPANS, max_size=8), st.randoms())
def test_laws_of_judging(
    traced: list[int], broken: list[tuple[int, int]], found: list[tuple[int, int]], random: Random
) -> None:
    """Order is no matter, a repeated finding changes nothing, and no finding is judged twice."""
    cases = [case("c", {"pkg/a.py": traced}, *(brk(first, (first, last)) for first, last in broken))]
    findings = [finding(first, last) for first, last in found]
    row = counts(cases, *findings)
    shuffled = list(findings)
    random.shuffle(shuffled)
    assert counts(cases, *shuffled) == row
    right, wrong, unjudged, met = row
    assert right + wrong + unjudged <= len(findings)
    assert right <= met <= len({first for first, _ in broken})
    twice = counts(cases, *findings, *findings)
    assert (twice[0], twice[1], twice[3]) == (right, wrong, met)
