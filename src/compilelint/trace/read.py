"""Lines of a log to events: structured records, the JSON of `tl_out`, and what `TORCH_LOGS` prints, in any mixture.

Guarantee: whatever the bytes are, reading never raises for their sake, holds one message at a time, and takes time in
proportion to the bytes. A record that cannot be read is counted in `Tally`, and the next line is read as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from compilelint.model.slotted import dataclass
from compilelint.trace.events import Event, Id
from compilelint.trace.heads import head_of, outer_of, plain_head_of, rank_of
from compilelint.trace.messages import break_of, is_head, limit_of, no_cuda_graph_of, recompile_of
from compilelint.trace.structured import KINDS, MOST_PAYLOAD, Record, Strings, decoded_json, events_of, wants_payload

MOST_LINE = 1_000_000
"""Bytes of a line; the rest of a longer one is passed over."""
_MOST_OF_MESSAGE = 600  # lines
_MOST_OPEN = 1_024  # messages that are read at once: one a process
_WORTH = (b"Graph break", b"Recompiling function", b"torch._dynamo hit config.", b"skipping cudagraphs due to")
_READERS = (break_of, recompile_of, limit_of, no_cuda_graph_of)


class Seen(NamedTuple):
    """An event, the rank that wrote it (None where the line does not say), and whether a structured record says it."""

    event: Event
    rank: int | None
    structured: bool


@dataclass(slots=True)
class Tally:
    """What was read: `lines` in all, structured `records`, `messages` of text; `damaged` ones were left out."""

    lines: int = 0
    records: int = 0
    messages: int = 0
    damaged: int = 0


class Reader:
    """Reads one file's lines; `payload_of` fetches a payload that stands in a file of its own (tl_out)."""

    def __init__(self, tally: Tally, payload_of: Callable[[str], str] = lambda name: "") -> None:
        self.tally = tally
        self._payload_of = payload_of
        self._strings = Strings()
        self._record: Record | None = None
        self._payload: list[bytes] = []
        self._size = 0
        self._open: dict[tuple[int | None, str], _Message] = {}
        self._bare: _Message | None = None

    def read(self, lines: Iterable[bytes]) -> Iterator[Seen]:
        """The events of the lines, in their order."""
        tally = self.tally
        for line in lines:
            tally.lines += 1
            if line[:1] == b"\t":
                if self._record is not None:
                    self._take(line)
                continue
            if self._record is not None:
                yield from self._end_record()
            at = line.find(b"] {", 0, 400)
            if at > 0 and line[at + 3 : at + 4] == b'"':
                yield from self._structured(line, at + 2)
            elif line[:2] == b'{"':
                yield from self._json_line(line)
            elif self._open or self._bare is not None or any(word in line for word in _WORTH):
                yield from self._plain(line)
        yield from self.end()

    def end(self) -> Iterator[Seen]:
        """What the last lines said."""
        if self._record is not None:
            yield from self._end_record()
        yield from self._end_messages()

    # -------------------------------------------------------------- structured

    def _structured(self, line: bytes, begins: int) -> Iterator[Seen]:
        if self._bare is not None:
            yield from self._end_bare()
        self.tally.records += 1
        kind = _kind(line, begins)
        if kind not in KINDS:
            if not line.endswith((b"}\n", b"}\r\n", b"}")):
                self.tally.damaged += 1
            return
        metadata = decoded_json(line[begins:].decode("utf-8", "replace"))
        if not isinstance(metadata, dict):
            self.tally.damaged += 1
            return
        head = head_of(line[:begins].decode("utf-8", "replace"))
        process = head.process if head is not None else ""
        yield from self._begin(Record(kind, metadata, process, self._strings))

    def _json_line(self, line: bytes) -> Iterator[Seen]:
        """A record as tlparse writes it: everything in one object, the payload in a file of its own."""
        if self._bare is not None:
            yield from self._end_bare()
        metadata = decoded_json(line.decode("utf-8", "replace"))
        self.tally.records += 1
        if not isinstance(metadata, dict):
            self.tally.damaged += 1
            return
        kind = next((name for name in metadata if name in KINDS), "")
        record = Record(kind, metadata, "", self._strings)
        name = metadata.get("payload_filename")
        if wants_payload(record) and isinstance(name, str):
            record.payload = self._payload_of(name).splitlines()
            yield from self._seen(record)
        else:
            yield from self._begin(record)

    def _begin(self, record: Record) -> Iterator[Seen]:
        if record.kind == "str":
            self._strings.add(record.process, record.metadata["str"])
        elif record.kind == "string_table":
            self._strings.add_table(record.metadata["string_table"])
        elif wants_payload(record) and "has_payload" in record.metadata:
            self._record, self._payload, self._size = record, [], 0
        else:
            yield from self._seen(record)

    def _take(self, line: bytes) -> None:
        self._size += len(line)
        if self._size <= MOST_PAYLOAD:
            self._payload.append(line[1:])

    def _end_record(self) -> Iterator[Seen]:
        record, self._record = self._record, None
        assert record is not None
        record.payload = b"".join(self._payload).decode("utf-8", "replace").splitlines()
        self._payload = []
        if not record.payload:
            self.tally.damaged += 1
        yield from self._seen(record)

    def _seen(self, record: Record) -> Iterator[Seen]:
        rank = record.metadata.get("rank")
        known = rank if isinstance(rank, int) and not isinstance(rank, bool) and 0 <= rank < 10**6 else None
        yield from (Seen(event, known, True) for event in events_of(record))

    # ------------------------------------------------------------------- plain

    def _plain(self, line: bytes) -> Iterator[Seen]:
        begins_one = any(word in line for word in _WORTH)
        if not begins_one and self._bare is None and b"torch/" not in line:
            return  # what the program itself prints, between two lines of torch's
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        head = head_of(text)
        if head is None:
            yield from self._without_head(text, begins_one)
            return
        body, key = text[head.begins :], (head.rank, head.process)
        message = self._open.get(key)
        if is_head(body):
            if message is not None:
                yield from self._end_message(self._open.pop(key))
            elif len(self._open) >= _MOST_OPEN:
                yield from self._end_messages()
            self._open[key] = _Message(head.rank, head.file, [body], head.id)
        elif message is not None and message.file == head.file and len(message.lines) < _MOST_OF_MESSAGE:
            message.lines.append(body)
        elif message is not None:
            yield from self._end_message(self._open.pop(key))

    def _without_head(self, text: str, begins_one: bool) -> Iterator[Seen]:
        """A line in another format than torch's own: only the first line of a message says whose it is."""
        outer = outer_of(text)
        begins = max(plain_head_of(text), outer)
        if begins_one and is_head(text[begins:]):
            yield from self._end_bare()
            self._bare = _Message(rank_of(text, outer), "", [text[begins:]], None)
        elif self._bare is not None:
            if begins > outer or len(self._bare.lines) >= _MOST_OF_MESSAGE:
                yield from self._end_bare()
            else:
                self._bare.lines.append(text[begins:])

    def _end_bare(self) -> Iterator[Seen]:
        message, self._bare = self._bare, None
        if message is not None:
            yield from self._end_message(message)

    def _end_messages(self) -> Iterator[Seen]:
        messages, self._open = list(self._open.values()), {}
        for message in messages:
            yield from self._end_message(message)
        yield from self._end_bare()

    def _end_message(self, message: _Message) -> Iterator[Seen]:
        self.tally.messages += 1
        for read in _READERS:
            found = read(message.lines, message.at)
            if found is not None:
                yield Seen(found, message.rank, False)
                return
        self.tally.damaged += 1


@dataclass(slots=True)
class _Message:
    """A message of text while its lines are read; `file` is the one of torch's that writes it, where it says so."""

    rank: int | None
    file: str
    lines: list[str]
    at: Id | None


def _kind(line: bytes, begins: int) -> str:
    """The first key of the object that begins there."""
    end = line.find(b'"', begins + 2, begins + 80)
    return line[begins + 2 : end].decode("ascii", "replace") if end > 0 else ""
