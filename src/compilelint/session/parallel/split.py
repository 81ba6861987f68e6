"""Which files of a project form a part: by folders, so that an edit moves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zlib import crc32

from compilelint.session.pipeline.inputs import Linted

PART_CHARACTERS = 1_000_000
"""How much text makes a part, at least: below it, what parts learn again of what they share outweighs their use."""

_MOST_PARTS = 16  # about; a larger project has larger parts
_LARGEST_AIM = 4_000_000  # up to here: a part takes some 50 bytes of memory a character while it is analysed
_AIM_OF_MANY = 2_000_000  # beyond 16 parts of that: what is kept of so many parts needs room, too
_CUT_IN = 8  # one folder in so many may end a part


def parts_of(characters: int) -> int:
    """About how many parts so much text is divided into; 1 is exact."""
    aim = _aim(characters)
    return 1 if characters <= 2 * aim else characters // aim


def _aim(characters: int) -> int:
    """How much text a part is to hold; it doubles with the project, so that few edits change it."""
    aim = PART_CHARACTERS
    while characters > _MOST_PARTS * aim:
        if aim >= _LARGEST_AIM:
            return min(aim, _AIM_OF_MANY)
        aim *= 2
    return aim


def split(files: Sequence[Linted]) -> list[list[Linted]]:
    """The files in parts of about one size, folders kept together.

    Where parts end depends on the names of folders (the same on every machine), hardly on sizes: an edit moves no
    folder to another part, and a new folder changes the part it lies in.
    """
    whole = sum(file.size for file in files)
    if parts_of(whole) == 1:
        return [list(files)]
    aim = _aim(whole)
    parts: list[list[Linted]] = [[]]
    size = 0
    for name, members in _kept_together(files, 2 * aim):
        parts[-1].extend(members)
        size += sum(file.size for file in members)
        if size >= aim * 3 // 2 or (
            size >= aim * 3 // 4 and crc32(name.encode("utf-8", "surrogatepass")) % _CUT_IN == 0
        ):
            parts.append([])
            size = 0
    return [part for part in parts if part]


def _kept_together(files: Sequence[Linted], most: int) -> Iterator[tuple[str, list[Linted]]]:
    """What no part divides, in order, by name: folders; of folders with more text than `most` the files."""
    folders: dict[str, list[Linted]] = {}
    for file in files:
        folders.setdefault(file.path.rpartition("/")[0], []).append(file)
    for folder in sorted(folders):
        members = folders[folder]
        if sum(file.size for file in members) <= most:
            yield folder.rpartition("/")[2], members
        else:
            yield from ((file.path.rpartition("/")[2], [file]) for file in members)
