"""Where the CPU of a lint goes, room by room of the source: stacks of the linting process, looked at every 3 ms.

    python -m benchmarks.features OUT ARGUMENTS    lint with the arguments of the command line, in this process

A look belongs to the innermost function of ours on the stack, and counts for each room once that is anywhere on it: the
first says where the work is done, the second who asked for it. Looks are taken by a thread, as often as the system lets
it run, so that shares are right and seconds are these shares of the CPU time of the process. Beside what each of the
analysers costs stands what it finds.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import compilelint
from benchmarks.reproduce import table_of

SECONDS_BETWEEN_LOOKS = 0.003
_PACKAGE = os.path.dirname(compilelint.__file__) + os.sep
_LARGE = frozenset({"interp", "session", "report", "checks"})
"""Rooms whose folders are rooms of their own."""
_SECONDS_TO_WAIT = 0.00001  # for its turn; what calls the system gives way by itself, and would be seen too often
_LEAST = 0.005
_STACK = "stack"  # `syntax.stack`, below everything
ANALYSERS = {"traced": "interp", "surveyed": "survey", "hosted": "host", "trees": "lib"}
"""By the module of `events` that rules listen to, or `trees`, the room that the findings come from."""


@dataclass
class Looks:
    """How often a room was seen at work itself, and how often on the way to what was; `cpu` are seconds of all."""

    count: int = 0
    cpu: float = 0.0
    own: Counter[str] = field(default_factory=Counter)
    within: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)  # by room of the analyser

    def take(self, stack: Sequence[str]) -> None:
        """Count a stack, as the files of its functions, innermost first."""
        rooms = [room for file in stack if (room := room_of(file))]
        self.count += 1
        self.own[rooms[0] if rooms else "outside"] += 1
        self.within.update({*rooms, *(room.partition("/")[0] for room in rooms)})


def room_of(file: str) -> str:
    """`interp/core`, `survey`: the room of a file of compilelint; empty for any other."""
    if not file.startswith(_PACKAGE):
        return ""
    first, *more = file[len(_PACKAGE) :].removesuffix(".py").split(os.sep)
    if more == [_STACK]:
        return ""
    return f"{first}/{more[0]}" if first in _LARGE and len(more) > 1 else first


def looked_at(arguments: Sequence[str]) -> Looks:
    """Lint as the command line does with these arguments."""
    from compilelint.cli import run

    looks, done = Looks(), threading.Event()
    thread = threading.Thread(target=_look, args=(looks, done), daemon=True)
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SECONDS_TO_WAIT)
    begin = time.process_time()
    thread.start()
    try:
        run(list(arguments))
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(before)
    looks.cpu = time.process_time() - begin
    return looks


def _look(looks: Looks, done: threading.Event) -> None:
    me, main = threading.get_ident(), threading.main_thread().ident
    while not done.wait(SECONDS_BETWEEN_LOOKS):
        frames = sys._current_frames()
        busy = [frame for number, frame in frames.items() if number not in (me, main)]  # a lint has a deep stack
        looks.take(list(_files(busy[0] if busy else frames[main or 0])))


def _files(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back


def analyser_of() -> dict[str, str]:
    """By code of a rule, the room that its findings come from."""
    from compilelint.checks import rulebook

    book = rulebook()
    found = {one.rule.code: ANALYSERS["trees"] for one in book.lib}
    for check in book.checks:
        kinds = {kind.__module__.rpartition(".")[2] for kind in check.on}
        room = next((room for name, room in ANALYSERS.items() if name in kinds), "")
        found.setdefault(check.rule.code, room)
    return {code: room for code, room in found.items() if room}


def table(looks: Looks) -> str:
    """The rooms, those first that do most, what is less than half a percent in one row; then the analysers."""
    rows, rest = [], 0
    for room, own in looks.own.most_common():
        if own < _LEAST * looks.count:
            rest += own
        else:
            rows.append([f"`{room}`", *_share(own, looks), f"{100 * looks.within[room] / looks.count:.0f}%"])
    rows.append(["all others", *_share(rest, looks), ""])
    rooms = table_of(["room", "CPU s", "of the run", "with all that it asks for"], rows)
    asked = [[f"`{one}`", *_share(looks.within[one], looks), str(looks.findings[one])] for one in ANALYSERS.values()]
    return f"{rooms}\n\n{table_of(['analyser', 'CPU s', 'of the run', 'findings'], asked)}"


def _share(count: int, looks: Looks) -> list[str]:
    share = count / max(looks.count, 1)
    return [f"{share * looks.cpu:.2f}", f"{100 * share:.1f}%"]


def read(file: Path) -> Looks:
    """What `main` wrote."""
    count, cpu, *counts = json.loads(file.read_text(encoding="utf-8"))
    return Looks(count, cpu, *map(Counter, counts))


def main(argv: Sequence[str]) -> int:
    """Lint, and write what was seen."""
    out, *arguments = argv
    report = Path(out).with_suffix(".report.json")
    looks = looked_at([*arguments, "--output", "grouped", "--output", f"json:{report}"])
    rooms = analyser_of()
    found = json.loads(report.read_text(encoding="utf-8"))["findings"]
    looks.findings.update(rooms.get(one["rule"], "") for one in found)
    text = json.dumps([looks.count, looks.cpu, looks.own, looks.within, looks.findings])
    Path(out).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
