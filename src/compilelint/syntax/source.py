"""Bytes on disk to text, lines and columns.

Guarantee: `read_source` never raises, never blocks (FIFOs, devices) and never reads more than `MAX_BYTES`. The text it
returns has the lines CPython's tokenizer sees: `\\r\\n` and lone `\\r` are `\\n`, a byte order mark is gone, form feeds
stay. What a faithful rewriting needs to know of the bytes (encoding, mark, newline style) is kept beside it.
"""

from __future__ import annotations

import ast
import codecs
import hashlib
import os
import tokenize
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace

from compilelint.disk import read as disk
from compilelint.model.slotted import dataclass
from compilelint.syntax.parse import parse, too_many_words
from compilelint.syntax.unreadable import Unreadable

# What is dense in them is refused by its words (`parse.MAX_WORDS`): a tree takes up to 900 bytes for a byte of source.
MAX_BYTES = 5_000_000

_NOTEBOOK = ".ipynb"
# Quadratic in the length of the text; no Python source is written in them.
_REFUSED_CODECS = frozenset({"idna", "punycode", "undefined"})


@dataclass(frozen=True, slots=True)
class Source:
    """One readable file.

    `path` is absolute with `/` separators; `encoding` is the codec's name (`utf-8` also where a BOM was, see `bom`);
    `newline` is the one style of the file's line ends, or None where styles are mixed; `ascii` says that every column
    of an `ast` node is also a code point; `digest` is a hash of the bytes, for caches of what was read.
    """

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    newline: str | None = "\n"
    has_form_feeds: bool = False
    ascii: bool = True
    digest: str = ""
    _lines: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    _columns: dict[int, list[int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def lines(self) -> list[str]:
        """The lines without their ends, `lines[0]` being line 1; split at the first use. Only `\\n` ends a line."""
        if not self._lines:
            self._lines.extend(self.text.split("\n"))
        return self._lines

    def with_text(self, text: str) -> Source:
        """The same file with other text, which stands nowhere on the disk: no cache knows it."""
        return replace(self, text=text, ascii=text.isascii(), digest="")

    def line(self, number: int) -> str:
        """The text of the 1-based line, empty past the end of the file."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def tree(self) -> ast.Module | Unreadable:
        """The syntax tree, built again at every call (trees are large: keep what you take from it, not the tree)."""
        return parse(self.text, self.path)

    def column(self, line: int, utf8_offset: int) -> int:
        """The 1-based code point column of `ast`'s 0-based byte offset in the 1-based `line`."""
        if self.ascii:
            return utf8_offset + 1
        columns = self._columns.get(line)
        if columns is None:
            columns = self._columns[line] = utf8_columns(self.line(line))
        if not columns:
            return utf8_offset + 1
        return columns[utf8_offset] if utf8_offset < len(columns) else columns[-1]

    def encode(self, text: str) -> bytes:
        """`text` (normalised newlines) as bytes in this file's encoding, mark and newline style.

        Mixed styles become the platform-neutral `\\n`. Raises UnicodeEncodeError where the encoding lacks a character.
        """
        styled = text if self.newline in (None, "\n") else text.replace("\n", self.newline or "\n")
        return (codecs.BOM_UTF8 if self.bom else b"") + styled.encode(self.encoding)


def utf8_columns(line: str) -> list[int]:
    """For each byte offset of the line's UTF-8 form the 1-based code point column; empty for an ASCII line.

    One entry more than there are bytes, since ends are exclusive.
    """
    if line.isascii():
        return []
    columns: list[int] = []
    for column, character in enumerate(line, 1):
        columns.extend([column] * len(character.encode("utf-8", "surrogatepass")))
    columns.append(len(line) + 1)
    return columns


_standing_in: dict[str, Source] = {}


@contextmanager
def standing_in(texts: Mapping[str, Source]) -> Iterator[None]:
    """While the block runs, `read_source` gives these instead of the files of those (absolute) paths.

    What fixes make is linted before it is written. For the whole process, worker threads included; blocks do not nest.
    """
    _standing_in.update(texts)
    try:
        yield
    finally:
        _standing_in.clear()


def any_standing_in() -> bool:
    """Whether some texts stand in for files: another process would not know."""
    return bool(_standing_in)


def stands_in(path: str) -> Source | None:
    """The text that stands in for a file; None where none does."""
    return _standing_in.get(portable(path))


def read_source(path: str) -> Source | Unreadable:
    """The file's text, or why it cannot be read. `path` may be relative; the result's path is absolute."""
    shown = portable(path)
    if shown in _standing_in:
        return _standing_in[shown]
    data = read_bytes(path)
    return data if isinstance(data, Unreadable) else source_from_bytes(shown, data)


class Readings:
    """Reads files and remembers what stood in them.

    `digests` holds a hash of every file by path. `torn` says that the readings do not show one state of the disk:
    a file could not be read, or not twice with the same result.
    """

    def __init__(self) -> None:
        self.digests: dict[str, str] = {}
        self.torn = False

    def read(self, path: str) -> Source | Unreadable:
        """`read_source`, remembered."""
        source = read_source(path)
        if isinstance(source, Unreadable):
            self.torn = True
        else:
            self.torn |= self.digests.setdefault(source.path, source.digest) != source.digest
        return source


def digest_of(path: str) -> str:
    """The hash of what stands in a file now, empty where it cannot be read."""
    data = read_bytes(path)
    return "" if isinstance(data, Unreadable) else _digest(data)


def portable(path: str) -> str:
    """The absolute path with `/` separators; symbolic links are left as they are."""
    absolute = os.path.abspath(path)
    return absolute.replace(os.sep, "/") if os.sep != "/" else absolute


def source_from_bytes(path: str, data: bytes) -> Source | Unreadable:
    """Decode as PEP 263 says; `path` only names the result (standard input has one too).

    What is larger than a file may be is refused wherever it comes from: an editor, standard input, a commit.
    """
    if len(data) > MAX_BYTES:
        return Unreadable("too-large", path, f"larger than {MAX_BYTES // 1_000_000} MB")
    bom = data.startswith(codecs.BOM_UTF8)
    encoding = _declared_encoding(path, data)
    if isinstance(encoding, Unreadable):
        return encoding
    body = data[len(codecs.BOM_UTF8) :] if bom else data
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line, column = _place_of_byte(body, error.start, encoding)
        message = f"byte 0x{body[error.start]:02x} is not {encoding}"
        return Unreadable("encoding", path, message, line, column)
    except (UnicodeError, ValueError) as error:  # codecs of odd make: `unicode_escape`, `idna`
        return Unreadable("encoding", path, f"not {encoding}: {error}")
    newline: str | None = "\n"
    if "\r" in text:
        newline = _newline_style(text)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    refused = None if path.endswith(_NOTEBOOK) else too_many_words(text, path)  # what it prints is no work
    if refused is not None:
        return refused
    return Source(path, text, encoding, bom, newline, "\f" in text, text.isascii(), _digest(data))


def read_bytes(path: str) -> bytes | Unreadable:
    """Up to `MAX_BYTES` of a regular file."""
    try:
        return disk.read_bytes(path, MAX_BYTES)
    except disk.NotReadError as error:
        return Unreadable(error.kind, portable(path), error.message)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _declared_encoding(path: str, data: bytes) -> str | Unreadable:
    """The codec that PEP 263 and the byte order mark ask for, by its normalised name."""
    head = data[: _end_of_second_line(data)]
    if b"coding" not in head:
        return "utf-8"
    # Lone carriage returns end lines for the tokenizer, though not for `detect_encoding`.
    header = iter(head.replace(b"\r\n", b"\n").replace(b"\r", b"\n").splitlines(keepends=True))
    try:
        encoding, _ = tokenize.detect_encoding(lambda: next(header, b""))
        codec = codecs.lookup(encoding)
    except (SyntaxError, LookupError, ValueError) as error:
        return Unreadable("encoding", path, str(error))
    # CPython's own test in `open` and `str.encode`: `rot13`, `hex`, `zlib` turn bytes into bytes.
    if not getattr(codec, "_is_text_encoding", True) or codec.name in _REFUSED_CODECS:
        return Unreadable("encoding", path, f"{codec.name} is not an encoding for source text")
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _end_of_second_line(data: bytes) -> int:
    """The offset behind the first two lines, whatever ends them."""
    end = 0
    for _ in range(2):
        ends = [at for at in (data.find(b"\n", end, end + 4096), data.find(b"\r", end, end + 4096)) if at >= 0]
        if not ends:
            return min(len(data), end + 4096)
        end = min(ends) + 1
        if data[end - 1 : end + 1] == b"\r\n":
            end += 1
    return end


def _place_of_byte(body: bytes, offset: int, encoding: str) -> tuple[int, int]:
    """Line and column of a byte that does not decode; what stands before it does."""
    before = body[:offset].decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _newline_style(text: str) -> str | None:
    """`\\r\\n` or `\\r` where nothing else ends a line, None for a mixture."""
    pairs = text.count("\r\n")
    if pairs == text.count("\r") == text.count("\n"):
        return "\r\n"
    return "\r" if pairs == 0 and "\n" not in text else None
