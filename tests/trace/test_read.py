"""Reading logs: everything that TORCH_LOGS shows is found, in whatever form it comes, and nothing else."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.traces import breaks, counted_breaks, counted_recompiles, recompiles
from compilelint.model import Step
from compilelint.trace.events import Break, Compiled, Id, Limit, NoCudaGraph, Recompile
from compilelint.trace.files import lines_of
from compilelint.trace.read import MOST_LINE, Reader, Seen, Tally
from tests.trace.recordings import IDS, RUNS, TRACES, events_of, run_of


def read(*lines: str) -> tuple[list[Seen], Tally]:
    tally = Tally()
    return list(Reader(tally).read([f"{line}\n".encode() for line in lines])), tally


@pytest.mark.parametrize("run", RUNS, ids=IDS)
def test_a_trace_holds_every_break_and_recompile_that_torch_logs_shows_and_none_else(run: Path) -> None:
    text = (run / "logs.txt").read_text()
    events, tally = events_of(run / "trace.log")
    assert breaks(events) == counted_breaks(text)
    assert recompiles(events) == counted_recompiles(text)
    assert tally.damaged == 0


@pytest.mark.parametrize("run", RUNS, ids=IDS)
def test_the_text_holds_every_break_and_recompile_that_torch_logs_shows_and_none_else(run: Path) -> None:
    text = (run / "logs.txt").read_text()
    events, tally = events_of(run / "logs.txt")
    assert breaks(events) == counted_breaks(text)
    assert recompiles(events) == counted_recompiles(text)
    assert tally.damaged == 0


@pytest.mark.parametrize("rank", [0, 1])
def test_a_job_of_two_ranks_on_a_device_is_read_rank_by_rank(rank: int) -> None:
    """Recorded by torch 2.11 on two GPUs, with DDP and CUDA graphs."""
    lines = gzip.decompress((TRACES / "device" / "logs.txt.gz").read_bytes()).decode().splitlines()
    text = "\n".join(line for line in lines if line.startswith(f"[rank{rank}]:"))
    events, _ = events_of(TRACES / "device" / f"rank_{rank}.log.gz")
    assert len(counted_breaks(text)) == 3
    assert breaks(events) == counted_breaks(text)
    assert recompiles(events) == counted_recompiles(text) == Counter()


def test_the_recordings_hold_what_they_were_made_for() -> None:
    kinds = {type(event) for run in RUNS for event in events_of(run / "trace.log")[0]}
    assert {Break, Recompile, Compiled} <= kinds
    assert any(isinstance(event, Limit) for event in events_of(run_of("limit") / "logs.txt")[0])


# ------------------------------------------------------------------ ways to be written

PREFIXES = {
    "as it is": "",
    "GitHub Actions": "2026-11-27T18:50:12.0970000Z ",
    "docker compose": "worker-0  | ",
    "mpirun --tag-output": "[1,3]<stderr>:",
    "torchrun --tee": "[default3]:",
    "srun --label": "3: ",
    "ray": "(train pid=4211, ip=10.0.0.3) ",
    "CI around a container": "2026-11-27T18:50:12.0970000Z worker-0  | ",
}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES.keys())
@pytest.mark.parametrize("name", ["breaks", "size", "limit", "skipped"])
def test_what_schedulers_and_ci_put_before_a_line_changes_nothing(prefix: str, name: str) -> None:
    lines = (run_of(name) / "logs.txt").read_text().splitlines()
    plain, _ = read(*lines)
    found, tally = read(*(prefix + line for line in lines))
    assert [seen.event for seen in found] == [seen.event for seen in plain]
    assert tally.damaged == 0


@pytest.mark.parametrize("prefix", ["[rank3]:", "[1,3]<stderr>:", "[default3]:", "3: "])
def test_the_rank_before_a_line_is_known(prefix: str) -> None:
    found, _ = read(*(prefix + line for line in (run_of("size") / "logs.txt").read_text().splitlines()))
    assert {seen.rank for seen in found} == {3}


def test_lines_of_ranks_that_are_mixed_are_put_together_by_rank() -> None:
    lines = (run_of("breaks") / "logs.txt").read_text().splitlines()
    alone, _ = read(*lines)
    mixed, tally = read(*(f"[rank{rank}]:{line}" for line in lines for rank in (0, 1)))
    for rank in (0, 1):
        assert [seen.event for seen in mixed if seen.rank == rank] == [seen.event for seen in alone]
    assert tally.damaged == 0


def test_what_the_program_prints_between_two_lines_is_passed_over() -> None:
    lines = (run_of("breaks") / "logs.txt").read_text().splitlines()
    plain, _ = read(*lines)
    found, tally = read(
        *(each for line in lines for each in (line, "step 3: loss 0.25", '  File "x.py", line 3, in f'))
    )
    assert [seen.event for seen in found] == [seen.event for seen in plain]
    assert tally.damaged == 0


@pytest.mark.parametrize(
    "head",
    ["DEBUG:torch._dynamo.symbolic_convert.__graph_breaks:", "2026-11-27 18:50:12,097 - torch._dynamo.x - DEBUG - "],
    ids=["TORCH_LOGS_FORMAT=short", "logging's usual format"],
)
def test_a_message_whose_first_line_alone_has_a_head_is_read(head: str) -> None:
    body = [
        "Graph break in user code at /job/net.py:13",
        "Graph Break Reason: Data-dependent branching",
        "  Explanation: it depends",
        "",
        "User code traceback:",
        '  File "/job/net.py", line 13, in forward',
        "    if x.sum() > 0:",
    ]
    found, _ = read(head + body[0], *body[1:], f"{head}something else", "loss 0.1")
    assert [seen.event for seen in found] == [
        Break(
            None,
            (Step("/job/net.py", 13, "forward"),),
            "Data-dependent branching",
            explanation="it depends",
            codes=("if x.sum() > 0:",),
        )
    ]


def test_torch_2_6_gives_its_reason_in_other_words() -> None:
    prefix = "V1127 18:50:12.097000 17119 torch/_dynamo/symbolic_convert.py:440] [0/0] [__graph_breaks] "
    lines = [
        "Graph break in user code at /job/net.py:13",
        "Reason: Unsupported: generic_jump TensorVariable()",
        "User code traceback:",
        '  File "/job/net.py", line 13, in forward',
        "    if x.sum() > 0:",
    ]
    ((event, _, structured),) = read(*(prefix + line for line in lines))[0]
    assert isinstance(event, Break)
    assert (event.id, event.words, structured) == (Id(0, 0), "generic_jump TensorVariable()", False)


def test_a_graph_left_out_of_cuda_graphs_is_read_with_its_line() -> None:
    prefix = "W1127 18:50:12.097000 17119 torch/_inductor/cudagraph_utils.py:380] [0/0] [__cudagraphs] "
    text = "skipping cudagraphs due to cpu device (arg0_1). Found from : "
    found, _ = read(prefix + text, prefix + '   File "/job/net.py", line 7, in forward', prefix + "    return x + y")
    (event,) = [seen.event for seen in found]
    assert isinstance(event, NoCudaGraph)
    assert event.place == Step("/job/net.py", 7, "forward")
    assert event.reason.startswith("skipping cudagraphs due to cpu device")


# ------------------------------------------------------------------ damaged, foreign, large


def test_a_truncated_record_costs_itself_and_is_counted() -> None:
    lines = (run_of("size") / "trace.log").read_bytes().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if b'"compilation_metrics"' in line)
    whole = [seen.event for seen in Reader(Tally()).read(lines)]
    lines[at] = lines[at][:200] + b"\n"
    tally = Tally()
    found = [seen.event for seen in Reader(tally).read(lines)]
    assert len(found) == len(whole) - 1
    assert tally.damaged == 1


def test_a_log_that_ends_in_the_middle_of_a_record_gives_all_before_it() -> None:
    data = (run_of("breaks") / "trace.log").read_bytes()
    for end in range(0, len(data), 997):
        lines = data[:end].splitlines(keepends=True)
        list(Reader(Tally()).read(lines))


@pytest.mark.parametrize(
    "line",
    [
        'V1127 18:50:12.097000 1 torch/x.py:1] {"compilation_metrics": [1, 2]}',
        'V1127 18:50:12.097000 1 torch/x.py:1] {"compilation_metrics": {"compile_id": 3, "co_filename": []}}',
        'V1127 18:50:12.097000 1 torch/x.py:1] {"str": {"a": 1}}',
        'V1127 18:50:12.097000 1 torch/x.py:1] {"dynamo_start": {"stack": [1, {"filename": 9}]}, "frame_id": true}',
        'V1127 18:50:12.097000 1 torch/x.py:1] {"artifact": {"name": 7}, "has_payload": "x"}',
        '{"string_table": {"a": 1}}',
        '{"artifact": [], "rank": "no"}',
        'V1127 18:50:12.097000 1 torch/x.py:1] {"compilation_metrics": {"start_time": 1e400, "graph_op_count": -1}}',
    ],
)
def test_fields_of_wrong_types_are_fields_that_are_not_there(line: str) -> None:
    for seen in read(line, "\tpayload")[0]:
        assert not isinstance(seen.event, Break | Recompile)


def test_a_line_without_end_is_read_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    head = b'V1127 18:50:12.097000 1 torch/x.py:1] {"str": ["'
    path.write_bytes(head + b"x" * (3 * MOST_LINE) + b"\n" + (run_of("size") / "trace.log").read_bytes())
    events, tally = events_of(path)
    assert recompiles(events) == Counter({"0/1": 1, "0/2": 1})
    assert tally.damaged == 1


def test_a_zipped_log_is_read_and_a_damaged_one_to_the_damage(tmp_path: Path) -> None:
    data = (run_of("size") / "trace.log").read_bytes()
    whole, broken = tmp_path / "a.log.gz", tmp_path / "b.log.gz"
    whole.write_bytes(gzip.compress(data))
    assert list(lines_of(str(whole))) == data.splitlines(keepends=True)
    broken.write_bytes(gzip.compress(data)[:2_000])
    assert len(list(lines_of(str(broken)))) < len(data.splitlines())


def test_records_of_tlparse_are_read_with_payloads_from_their_files() -> None:
    table = json.dumps({"string_table": ["/job/net.py"]})
    start = {"dynamo_start": {"stack": [{"line": 5, "name": "f", "filename": 0}]}, "frame_id": 0, "frame_compile_id": 1}
    reasons = {
        "artifact": {"name": "recompile_reasons", "encoding": "json"},
        "frame_id": 0,
        "frame_compile_id": 1,
        "payload_filename": "-_0_1_0/recompile_reasons_8.json",
        "has_payload": "ab",
        "rank": 2,
    }
    payloads = {"-_0_1_0/recompile_reasons_8.json": "0/0: L['n'] == 3"}
    lines = [f"{line}\n".encode() for line in (table, json.dumps(start), json.dumps(reasons))]
    found = list(Reader(Tally(), payloads.__getitem__).read(lines))
    assert found[-1] == Seen(Recompile(Id(0, 1), None, ("0/0: L['n'] == 3",)), 2, True)
