"""What only all files of a project show of the roots: models that no script makes, and lines behind switches left off.

Where not all of a project is linted its scripts may lie elsewhere, and nothing is concluded. The answer is kept with
the run: it depends on the files that were read, and on what configurations and commands say.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from compilelint.cache.encoding import number_of, text_of
from compilelint.disk.read import NotReadError, read_text
from compilelint.model import Confidence
from compilelint.model.slotted import dataclass
from compilelint.project.discovery import Discovery
from compilelint.report.report import UNMADE, CompileRoot
from compilelint.session.pipeline.made import INSTALLED, TOP, configurations, words_of
from compilelint.session.pipeline.merge import Analysis
from compilelint.survey.constructed import Definitions
from compilelint.survey.left_off import LeftOff, Range
from compilelint.syntax import ir

_MOST_FILES = 500  # above it reading all again takes longer than the answer is worth
_MOST_TEXTS = 1_000
_GUESSED = frozenset({"forward", "autograd"})
_COMMANDS = (".sh", ".bash", ".slurm", ".sbatch")
_SET = re.compile(r"""^[ \t-]*["']?([\w-]+)["']?[ \t]*[:=][ \t]*["']?([\w.-]+)""", re.MULTILINE)
_ASKED = re.compile(r"(?:--|\+)([\w-]+)")
_NO = frozenset({"false", "no", "off", "0", "null", "none"})


class Kept(Protocol):
    """Where answers are kept; `read` are the hashes of the files that the run read, none where nothing is kept."""

    read: Mapping[str, str]

    def page(self, key: list[object], stamp: str) -> str | None:
        """The text that was kept under a key, if its stamp is this one."""

    def keep_page(self, key: list[object], stamp: str, text: str) -> None:
        """Keep a text under a key."""


def seen_whole(
    judged: Analysis, files: Discovery, modules: Callable[[], Iterable[ir.Module]], kept: Kept
) -> tuple[tuple[CompileRoot, ...], tuple[Range, ...]]:
    """The roots of an analysis with what all files say of them, and the lines that are left off; `modules` gives the
    linted files, and is asked only where a graph ends somewhere.
    """
    folder = files.roots[0] if len(files.roots) == 1 and files.roots[0] in files.folders else ""
    asks = any(one.ends_graph and one.confidence >= Confidence.LIKELY for one in judged.findings)
    if not asks or not folder or len(files.files) > _MOST_FILES or not _is_project(folder):
        return judged.roots, ()
    texts = _texts(folder)
    if texts is None:
        return judged.roots, ()
    stamp = _hash([sorted(kept.read.items()), texts.stamp])
    text = kept.page(["whole"], stamp) if kept.read else None
    known = None if text is None else _read_back(text)
    if known is None:
        known = _answer(judged, folder, modules(), texts.on)
        if kept.read:
            kept.keep_page(["whole"], stamp, json.dumps(known))
    unmade, off = known
    roots = [root._replace(aside=UNMADE) if root.name in unmade and _may(root) else root for root in judged.roots]
    return tuple(roots), off


def _read_back(text: str) -> tuple[list[str], tuple[Range, ...]] | None:
    """An answer that was kept; None for anything else."""
    try:
        unmade, off = json.loads(text)
        ranges = tuple([(text_of(path), number_of(a), number_of(b), text_of(name)) for path, a, b, name in off])
        return [text_of(name) for name in unmade], ranges
    except (ValueError, TypeError):
        return None


def _is_project(folder: str) -> bool:
    """Whether a folder is marked as the top of a project; others may be a part of one, or a copy."""
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in TOP)


def _may(root: CompileRoot) -> bool:
    return not root.aside and root.kind in _GUESSED


def _answer(
    judged: Analysis, folder: str, modules: Iterable[ir.Module], on: frozenset[str]
) -> tuple[list[str], tuple[Range, ...]]:
    """The names of roots that no script makes, and the lines that are left off."""
    definitions = Definitions(any(os.path.lexists(os.path.join(folder, name)) for name in INSTALLED))
    left_off = LeftOff()
    for module in modules:
        definitions.read(module)
        left_off.read(module)
    made = definitions.reached(words_of(folder))
    names = [] if made is None else [one.name for one in judged.roots if _may(one)]
    unmade = [one for one in names if made is not None and not made.is_made(one.partition(".")[0])]
    return unmade, left_off.ranges(on)


@dataclass(frozen=True, slots=True)
class _Texts:
    """What configurations and commands say: the names that they set to anything but a kind of no, and a hash of all."""

    on: frozenset[str]
    stamp: str


def _texts(folder: str) -> _Texts | None:
    """Those below a folder; None where they are too many to be read."""
    names: set[str] = set()
    hashes: list[str] = []
    for path in configurations(folder, _COMMANDS):
        if len(hashes) > _MOST_TEXTS:
            return None
        try:
            text = read_text(path)
        except NotReadError:
            text = ""
        hashes.append(_hash([path, text]))
        names.update(_ASKED.findall(text) if path.endswith(_COMMANDS) else ())
        names.update(name for name, value in _SET.findall(text) if value.lower() not in _NO)
    return _Texts(frozenset(one.replace("-", "_") for one in names), _hash(hashes))


def _hash(value: object) -> str:
    return hashlib.blake2b(json.dumps(value).encode("ascii"), digest_size=16).hexdigest()
