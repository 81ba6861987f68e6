"""Causes: one a reason and line, with its count, its seconds and its values."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.model import Step
from compilelint.trace import growing
from compilelint.trace.cause import Cause, Kind, Trace
from compilelint.trace.events import Began, Break, CacheLookup, Compiled, Event, Id, Limit, Recompile
from compilelint.trace.gather import Gatherer, function_of, gathered, users_place
from compilelint.trace.read import Seen, Tally
from tests.trace.recordings import run_of

NET = "/job/net.py"


def gather(*events: Event, rank: int | None = None, structured: bool = True) -> Trace:
    gatherer = Gatherer()
    gatherer.begin(rank, None)
    for event in events:
        gatherer.take(Seen(event, None, structured))
    return gatherer.trace(Tally(), 1)


def cause(trace: Trace, kind: Kind, line: int = 0) -> Cause:
    (found,) = [one for one in trace.causes if one.kind is kind and line in (0, one.place.line)]
    return found


def compiled(frame: int, again: int, seconds: float, name: str = "forward", line: int = 5, **rest: object) -> Compiled:
    return Compiled(Id(frame, again), Step(NET, line, name), seconds, 1.0, ops=2, **rest)  # type: ignore[arg-type]


def a_break(line: int = 7, skips_frame: bool = False) -> Break:
    stack = (Step("/job/main.py", 1, "<module>"), Step(NET, line, "forward"))
    return Break(Id(0, 0), stack, "Data-dependent branching", skips_frame=skips_frame)


def test_a_break_is_charged_with_the_compiles_of_what_is_resumed_behind_it() -> None:
    resumed = compiled(1, 0, 3.0, "torch_dynamo_resume_in_forward_at_7", 7)
    trace = gather(a_break(), compiled(0, 0, 2.0), resumed)
    found = cause(trace, Kind.BREAK)
    assert (found.cold, found.again, found.graphs) == (3.0, 0.0, 1)
    assert (trace.first_seconds, trace.graphs, trace.compiles) == (5.0, 2, 2)


def test_the_backward_of_what_is_resumed_is_charged_too_and_that_of_the_frame_is_not() -> None:
    resumed = compiled(1, 0, 3.0, "torch_dynamo_resume_in_forward_at_7", 7)
    backward = [Compiled(Id(frame, 0), Step("", 0, ""), 0.5, 1.0, backward=True) for frame in (1, 0)]
    trace = gather(a_break(), compiled(0, 0, 2.0), resumed, *backward)
    assert cause(trace, Kind.BREAK).seconds == 3.5
    assert trace.backward_seconds == 1.0


def test_a_frame_that_is_thrown_away_is_charged_to_the_break_that_skips_it() -> None:
    trace = gather(a_break(skips_frame=True), compiled(0, 0, 2.0, installed=False, fail="Unsupported", why="x"))
    found = cause(trace, Kind.BREAK)
    assert (found.cold, found.graphs, found.skips_frame) == (2.0, 0, True)
    assert trace.graphs == 0
    assert not [one for one in trace.causes if one.kind is Kind.ERROR], "the break says why already"


def test_until_torch_2_9_the_break_is_written_behind_the_compile_that_it_ends() -> None:
    trace = gather(compiled(0, 0, 2.0, installed=False, fail="Unsupported", why="x"), a_break(skips_frame=True))
    (found,) = trace.causes
    assert (found.kind, found.cold) == (Kind.BREAK, 2.0)


def test_a_compile_that_fails_without_a_break_is_an_error_of_its_own() -> None:
    trace = gather(
        compiled(
            0,
            0,
            0.5,
            fail="Unsupported",
            why="Data-dependent branching\n  Explanation: ...",
            fail_place=Step(NET, 9, ""),
        )
    )
    found = cause(trace, Kind.ERROR)
    assert (found.place, found.words) == (Step(NET, 9, "forward"), "Unsupported: Data-dependent branching")


def test_recompiles_of_one_value_are_one_cause_with_the_values_in_their_order() -> None:
    events: list[Event] = [compiled(0, 0, 1.0)]
    for number in range(1, 4):
        text = f"0/{number - 1}: tensor 'x' size mismatch at index 0. expected {number}, actual {number + 1}"
        events += [Recompile(Id(0, number), None, (text,)), compiled(0, number, 2.0)]
    found = cause(gather(*events), Kind.RECOMPILE)
    assert (found.count, found.again, found.cold, found.graphs) == (3, 6.0, 0.0, 3)
    assert found.values == ("1", "2", "3", "4")
    assert found.place == Step(NET, 5, "forward")


def test_the_newest_version_is_the_cause_and_what_else_failed_is_beside_it() -> None:
    texts = ("0/1: tensor 'x' size mismatch at index 1. expected 8, actual 9", "0/0: L['n'] == 3")
    found = cause(gather(compiled(0, 0, 1.0), Recompile(Id(0, 2), None, texts)), Kind.RECOMPILE)
    assert found.failure is not None
    assert (found.failure.source, found.failure.dimension, found.others) == ("L['x']", 1, ("L['n'] == 3",))


def test_a_recompile_waits_for_the_name_of_its_frame() -> None:
    again = Recompile(Id(4, 1), None, ("4/0: L['n'] == 3",))
    found = cause(gather(again, Began(Id(4, 1), (Step(NET, 20, "late"),))), Kind.RECOMPILE)
    assert found.place == Step(NET, 20, "late")


def test_a_recompile_whose_frame_is_never_named_is_counted_all_the_same() -> None:
    assert cause(gather(Recompile(Id(4, 1), None, ("4/0: L['n'] == 3",))), Kind.RECOMPILE).count == 1


def test_the_limit_is_known_from_a_failed_compile_and_from_text() -> None:
    why = "Dynamo recompile limit exceeded\n  Explanation: exceeding the limit (currently set to 8)."
    failed = Compiled(Id(0, 8), Step("", 0, ""), 0.1, fail="Unsupported", why=why)
    again = Recompile(Id(0, 8), None, ("0/7: self.step == 7",))
    structured = cause(gather(compiled(0, 0, 1.0), again, failed), Kind.LIMIT)
    text = cause(gather(Limit(None, Step(NET, 5, "forward"), "recompile_limit", 8, "0/7: self.step == 7")), Kind.LIMIT)
    for found in (structured, text):
        assert (found.place, found.limit) == (Step(NET, 5, "forward"), 8)
        assert found.failure is not None
        assert found.failure.source == "L['self'].step"


def test_one_run_read_from_its_trace_and_from_its_terminal_counts_once() -> None:
    gatherer = Gatherer()
    for structured in (True, False):
        gatherer.begin(None, None)
        for _ in range(3 if structured else 1):
            gatherer.take(Seen(a_break(), None, structured))
    assert cause(gatherer.trace(Tally(), 2), Kind.BREAK).count == 3


def test_ranks_are_united_in_a_cause_and_the_first_difference_is_named() -> None:
    gatherer = Gatherer()
    for rank, lines in ((0, (5, 9)), (1, (5, 9)), (2, (5, 11))):
        gatherer.begin(rank, None)
        gatherer.take(Seen(a_break(), None, True))
        for number, line in enumerate(lines):
            gatherer.take(Seen(compiled(number, 0, 1.0, line=line), None, True))
    trace = gatherer.trace(Tally(), 3)
    assert cause(trace, Kind.BREAK).ranks == (0, 1, 2)
    (found,) = trace.divergences
    assert (found.rank, found.other, found.number) == (2, 0, 2)
    assert (found.place, found.other_place) == (Step("net.py", 11, "forward"), Step("net.py", 9, "forward"))


def test_a_rank_that_compiles_less_diverges_where_it_ends() -> None:
    gatherer = Gatherer()
    for rank in (0, 1):
        gatherer.begin(rank, None)
        for number in range(2 - rank):
            gatherer.take(Seen(compiled(number, 0, 1.0), None, True))
    (found,) = gatherer.trace(Tally(), 2).divergences
    assert (found.number, found.place) == (2, None)


def test_a_cache_that_misses_because_one_part_differs_says_which() -> None:
    asked = [
        CacheLookup(Id(0, 0), "fx_graph", "miss", key=key, parts=(("gm", "a"), ("inductor_config", key)))
        for key in ("1", "2")
    ]
    trace = gather(compiled(0, 0, 1.0), *asked)
    assert (
        cause(trace, Kind.CACHE).words
        == "fx_graph: the key differs from that of the same graph before in inductor_config"
    )
    assert [(one.hits, one.misses) for one in trace.caches] == [(0, 2)]


def test_another_graph_of_the_same_frame_misses_for_no_reason_but_being_new() -> None:
    asked = [CacheLookup(Id(0, 0), "fx_graph", "miss", key=key, parts=(("gm", key), ("x", key))) for key in ("1", "2")]
    assert not [one for one in gather(compiled(0, 0, 1.0), *asked).causes if one.kind is Kind.CACHE]


def test_causes_are_ordered_by_seconds() -> None:
    events: list[Event] = [a_break(7), compiled(1, 0, 1.0, "torch_dynamo_resume_in_forward_at_7", 7)]
    events += [a_break(9), compiled(2, 0, 4.0, "torch_dynamo_resume_in_forward_at_9", 9)]
    assert [one.place.line for one in gather(*events).causes] == [9, 7]


def test_causes_beyond_the_bound_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "MOST_CAUSES", 3)
    trace = gather(*(a_break(line) for line in range(1, 11)))
    assert (len(trace.causes), trace.left_out) == (3, 7)


def test_the_users_line_is_the_innermost_that_is_not_torchs() -> None:
    inside = Step("/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", 1, "_call_impl")
    library = Step("/venv/lib/python3.11/site-packages/transformers/modeling.py", 3, "forward")
    assert users_place((Step(NET, 5, "f"), library, inside)) == library
    assert users_place((inside,)) == inside
    assert users_place(()) is None


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("forward", "forward"),
        ("torch_dynamo_resume_in_forward_at_13", "forward"),
        ("torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_1_at_2", "f"),
        ("<resume in forward>", "forward"),
    ],
)
def test_the_function_that_was_written_is_named(name: str, written: str) -> None:
    assert function_of(name) == written


def test_a_recorded_run_comes_to_its_causes() -> None:
    trace = gathered([str(run_of("breaks"))])
    assert trace.torch == ("2.13.0+cpu",)
    assert {(one.kind, one.place.line, one.break_id) for one in trace.causes} == {
        (Kind.BREAK, 13, "GB0170"),
        (Kind.BREAK, 15, "GB0059"),
        (Kind.BREAK, 16, "GB0124"),
        (Kind.RECOMPILE, 16, ""),
    }
    assert trace.files == 2, "the folder holds the trace and the text of the same run"
    assert cause(trace, Kind.RECOMPILE).count == 1


def test_a_folder_without_logs_is_refused(tmp_path: Path) -> None:
    from compilelint.disk.read import NotReadError

    with pytest.raises(NotReadError):
        gathered([str(tmp_path)])
