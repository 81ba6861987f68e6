"""The bars of `compilelint trace`: volume, damaged logs, and recordings held against what `TORCH_LOGS` shows.

    python -m benchmarks.traces volume --recordings DIR --gigabytes 1   a trace and a text, CPU s and MB of each
    python -m benchmarks.traces damaged --logs 5000 --seed 1            read, placed and shown in every format
    python -m benchmarks.traces held RUN...                             folders with `logs.txt` and a trace

A volume is made of recordings (those of the tests if none are named; whole ones hold graphs and compiled code, which
the tests' leave out), each time with other frames and paths. What `held` compares is counted in the text by regular
expressions that know nothing of the reader. Exit code 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.measuring import COMPILELINT, Cost, measured
from compilelint.cli.trace import OF_FINDINGS, OWN, rendered
from compilelint.session.commands.trace import reported
from compilelint.trace.cause import Trace
from compilelint.trace.events import Break, Event, Recompile
from compilelint.trace.files import lines_of
from compilelint.trace.gather import Gatherer
from compilelint.trace.read import Reader, Tally

HERE = Path(__file__).parent.parent / "tests" / "data" / "traces"
CPU_SECONDS, MEGABYTES = 120.0, 500.0
_FRAMES, _FOLDERS = 900, 700
_NASTY = [
    b"\xff\xfe", b"\0" * 50, b"\t", b"\n", b'{"', b'] {"', b"}" * 50, b"[" * 3_000, b"9" * 5_000, b"\x1b[2J", b"0/0: ",
    b"\xe2\x80\xa8", b"\r", b"-1", b"NaN", b"null", b'": [', b"'" * 40, b"L['self']", b"\xed\xa0\x80",
]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run one of the three; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    volume = kinds.add_parser("volume")
    volume.add_argument("--recordings", type=Path, default=HERE, metavar="DIR")
    volume.add_argument("--gigabytes", type=float, default=1.0)
    volume.add_argument("--checkout", default=str(HERE / "programs"), metavar="DIR")
    damaged = kinds.add_parser("damaged")
    damaged.add_argument("--logs", type=int, default=5_000, metavar="N")
    damaged.add_argument("--seed", type=int, default=1)
    held = kinds.add_parser("held")
    held.add_argument("runs", type=Path, nargs="*", metavar="RUN")
    args = parser.parse_args(argv)
    if args.kind == "volume":
        return _volume(args.recordings, args.gigabytes, args.checkout)
    if args.kind == "damaged":
        return _damaged(args.logs, args.seed)
    return _held(args.runs or [one.parent for one in structured_in(HERE)])


# ---------------------------------------------------------------------- volume


def structured_in(folder: Path) -> list[Path]:
    """The structured traces of runs below a folder, each beside the `logs.txt` of its run or one folder below it."""
    found = (trace_of(text.parent) for text in sorted(folder.rglob("logs.txt")))
    return [one for one in found if one is not None]


def trace_of(run: Path) -> Path | None:
    """The structured trace of a run; None where it has none."""
    return next((one for one in [run / "trace.log", *sorted(run.glob("trace/*.log"))] if one.exists()), None)


def repeated(texts: Sequence[str], size: int) -> Iterator[str]:
    """Texts over and over until there are `size` bytes, each time with other frames and folders."""
    written = 0
    for number in itertools.count():
        text = re.sub(r'"frame_id": \d+', f'"frame_id": {number % _FRAMES}', texts[number % len(texts)])
        text = re.sub(r"(/job/src|/opt/rec/progs)/", f"/job/part{number % _FOLDERS}/", text)
        yield text
        written += len(text)
        if written >= size:
            return


def _volume(recordings: Path, gigabytes: float, checkout: str) -> int:
    traces = structured_in(recordings)
    texts = {"structured": traces, "text": [text for one in traces for text in _beside(one)]}
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for kind, paths in texts.items():
            log = Path(folder) / f"{kind}.log"
            read = [one.read_text(encoding="utf-8", errors="replace") for one in paths]
            with log.open("w", encoding="utf-8") as file:
                file.writelines(repeated([one for one in read if one], int(gigabytes * 1e9)))
            cost = measured([*COMPILELINT, "trace", str(log), "--checkout", checkout])
            size = log.stat().st_size / 1e9
            print(f"{kind}: {size:.2f} GB of {len(paths)} recordings: {_words(cost)}", flush=True)
            missed = missed or cost.code != 1 or cost.cpu > CPU_SECONDS or cost.peak > MEGABYTES
            log.unlink()
    return int(missed)


def _beside(trace: Path) -> list[Path]:
    return [one for one in (trace.parent / "logs.txt", trace.parent.parent / "logs.txt") if one.exists()][:1]


def _words(cost: Cost) -> str:
    return f"{cost.cpu:.1f} CPU s, {cost.wall:.1f} s, {cost.peak:.0f} MB, exit code {cost.code}"


# --------------------------------------------------------------------- damaged


def damaged(recordings: Sequence[bytes], seed: int) -> bytes:
    """A recording with pieces cut, doubled, moved and overwritten, the same for the same seed."""
    chance = random.Random(seed)
    data = bytearray(chance.choice(recordings)[: chance.randrange(200, 30_000)])
    for _ in range(chance.randrange(1, 30)):
        at = chance.randrange(len(data) or 1)
        kind = chance.randrange(6)
        if kind == 0:
            del data[at : at + chance.randrange(1, 400)]
        elif kind == 1:
            data[at:at] = chance.choice(_NASTY)
        elif kind == 2:
            data[at:at] = data[at : at + chance.randrange(1, 2_000)]
        elif kind == 3 and data:
            data[at % len(data)] = chance.randrange(256)
        elif kind == 4:
            numbers = [found.span() for found in re.finditer(rb"\d+", data)]
            begins, ends = chance.choice(numbers) if numbers else (at, at)
            data[begins:ends] = chance.choice(_NASTY)
        else:
            chance_to = chance.randrange(len(data) or 1)
            data[at:at] = data[chance_to : chance_to + 300]
    return bytes(data)


def recordings() -> list[bytes]:
    """The tests' recordings, structured and text."""
    return [path.read_bytes() for one in structured_in(HERE) for path in (one, one.parent / "logs.txt")]


def gather(data: bytes) -> Trace:
    """The trace of one log's bytes."""
    tally, gatherer = Tally(), Gatherer()
    gatherer.begin(None, None)
    for seen in Reader(tally).read(data.splitlines(keepends=True)):
        gatherer.take(seen)
    return gatherer.trace(tally, 1)


def show(trace: Trace, checkout: str, forms: Iterable[str]) -> None:
    """Show a trace in each of some formats, as `compilelint trace` does."""
    report = reported(trace, checkout)
    for form in forms:
        rendered(report, form, "log", color=False, columns=100, most=0)


def _damaged(logs: int, seed: int) -> int:
    known, begin, raised = recordings(), time.process_time(), 0
    formats = (*OWN, *OF_FINDINGS)
    causes = torn = 0
    for number in range(seed * 1_000_000, seed * 1_000_000 + logs):
        data = damaged(known, number)
        try:
            trace = gather(data)
            show(trace, str(HERE / "programs"), ("full", formats[number % len(formats)]))
        except Exception as error:  # noqa: BLE001 (what is counted here)
            raised += 1
            print(f"seed {number}: {type(error).__name__}: {error}", flush=True)
            continue
        causes += len(trace.causes)
        torn += trace.damaged > 0
    seconds = time.process_time() - begin
    found = f"{causes:,} causes, {torn:,} logs with damaged records"
    print(f"{logs:,} damaged logs: {raised} raised; {found}; {seconds:.0f} CPU s")
    return int(raised > 0)


# ------------------------------------------------------------------------ held


def counted_breaks(text: str) -> set[tuple[str, int]]:
    """The lines at which a log's text shows a graph break or a skipped frame."""
    found = {(path, int(line)) for path, line in re.findall(r"Graph break .*in user code at (.+):(\d+)$", text, re.M)}
    skips = r"(?:which results in a skip\.|Graph break: skip: from user code at:)$"
    for block in re.split(skips, text, flags=re.M)[1:]:
        lines = [line.partition("] [__graph_breaks] ")[2] for line in block.splitlines()]
        ends = (at for at, line in enumerate([*lines, "Traceback"]) if line.startswith(("Graph break in", "Traceback")))
        steps = re.findall(r'^  File "(.+)", line (\d+), in', "\n".join(lines[: next(ends)]), re.M)
        found.add((steps[-1][0], int(steps[-1][1])))
    return found


def counted_recompiles(text: str) -> Counter[str]:
    """How often a log's text shows that a frame is compiled again, by its id."""
    return Counter(re.findall(r"\[(\d+/\d+)(?:_\d+)?\] \[__recompiles\] Recompiling function", text))


def breaks(events: Iterable[Event]) -> set[tuple[str, int]]:
    """The lines at which the reader found breaks."""
    return {(one.stack[-1].path, one.stack[-1].line) for one in events if isinstance(one, Break)}


def recompiles(events: Iterable[Event]) -> Counter[str]:
    """How often the reader found that a frame is compiled again, by its id."""
    return Counter(str(one.id) for one in events if isinstance(one, Recompile))


def events_of(path: Path) -> list[Event]:
    """All events of one file."""
    return [seen.event for seen in Reader(Tally()).read(lines_of(str(path)))]


def _held(runs: Sequence[Path]) -> int:
    apart = lines = times = 0
    for run in runs:
        trace, text = trace_of(run), (run / "logs.txt").read_text(encoding="utf-8", errors="replace")
        seen_breaks, seen_recompiles = counted_breaks(text), counted_recompiles(text)
        lines, times = lines + len(seen_breaks), times + sum(seen_recompiles.values())
        for log in (run / "logs.txt", trace):
            events = [] if log is None else events_of(log)
            same = breaks(events) == seen_breaks and recompiles(events) == seen_recompiles
            apart += not same
            if not same:
                print(
                    f"{log or run}: {len(breaks(events))} lines that break and {recompiles(events).total()} recompiles"
                )
        shown = f"{len(seen_breaks)} lines that break, {sum(seen_recompiles.values())} recompiles"
        print(f"{run.parent.name}/{run.name}: TORCH_LOGS shows {shown}")
    print(f"{len(runs)} runs, {lines} lines that break, {times} recompiles; {apart} logs are read otherwise")
    return int(apart > 0)


if __name__ == "__main__":
    sys.exit(main())
