"""What a first page shows of the work, what it counts, and the order that formats for programs carry."""

from __future__ import annotations

from dataclasses import replace

from compilelint.model import Confidence, Finding
from compilelint.report.layout.text import shown_path
from compilelint.report.overview.choice import choice, ranks
from compilelint.report.overview.document import summary
from compilelint.report.overview.measured import Measured
from compilelint.report.overview.overview import Overview, overview
from compilelint.report.report import CompileRoot
from tests.report.overview.samples import BREAK, RECOMPILE, finding, report, root

MODEL = root()
COMPILED = root("step", 50, compiled_at=60)
HELPER = root("helper", 70, kind="unreached")


def seen(findings: tuple[Finding, ...], *roots: CompileRoot) -> Overview:
    """The overview of these."""
    return overview(report(findings, roots), None, Confidence.LIKELY, Measured())


def test_work_on_models_is_counted_beside_what_is_compiled() -> None:
    ours, other = finding(BREAK, 51, "step"), finding(BREAK, 5)
    found = choice(seen((ours, other), MODEL, COMPILED))
    assert [task.finding for task in found.tasks] == [ours]
    assert found.counts == ["1 in models that this code does not compile"]
    assert [task.finding for task in choice(seen((other,), MODEL)).tasks] == [other]


def test_helpers_are_counted_beside_models() -> None:
    ours, other = finding(BREAK, 5), finding(BREAK, 71, "helper (unreached)")
    found = choice(seen((ours, other), MODEL, HELPER))
    assert ([task.finding for task in found.tasks], found.guessed) == ([ours], 0)  # folded: counted as such
    assert choice(seen((other,), MODEL, HELPER)).counts == ["1 in functions that no linted code compiles"]


def test_the_rank_is_the_order_of_work() -> None:
    one, again = finding(RECOMPILE, 5), finding(BREAK, 6)
    found = seen((one, again), MODEL)
    places = ranks(found)
    first = choice(found).tasks[0].finding
    assert places[id(first)] == 1
    assert sorted(places.values()) == [1, 2]


def test_findings_that_one_change_answers_share_a_rank() -> None:
    several = tuple(finding(BREAK, line, message="the same", help="do it") for line in (5, 6, 7))
    places = ranks(seen(several, MODEL))
    assert [places[id(one)] for one in several] == [1, 1, 1]


def test_what_the_first_page_only_counts_comes_after_what_it_shows() -> None:
    ours, other = finding(RECOMPILE, 51, "step"), finding(BREAK, 5)
    places = ranks(seen((other, ours), MODEL, COMPILED))
    assert (places[id(ours)], places[id(other)]) == (1, 2)


def test_what_needs_a_switch_that_the_project_leaves_off_is_counted_even_where_there_is_nothing_else() -> None:
    one = finding(BREAK, 5)
    off = replace(report((one,), (MODEL,)), off=((one.location.path, 5, 6, "deep"),))
    found = overview(off, None, Confidence.LIKELY, Measured())
    assert choice(found).tasks == ()
    assert choice(found).counts == ["1 behind switches that are off by default (`deep`)"]
    assert [(row.breaks, row.off, row.graphs.most) for row in found.functions] == [((), (one,), 1)]
    assert "1 of them breaks further behind switches that are off by default (`deep`)." in summary(found, shown_path)
    other = overview(replace(off, off=((one.location.path, 6, 9, "deep"),)), None, Confidence.LIKELY, Measured())
    assert [task.finding for task in choice(other).tasks] == [one]
    assert [row.breaks for row in other.functions] == [(one,)]
