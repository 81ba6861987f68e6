"""What a worker observed, as the data model: paths of a copy turned back, each break charged to the user's frame.

The innermost frame of watched code is the user's; where there is none, the innermost outside torch. Watched is the
target's package and the project: a factory in a folder of tests makes models of a package beside it. This is known here
and not in the worker, which sends whole stacks.
"""

from __future__ import annotations

import ast
import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from compilelint.dynamic.remnants import remnants_in
from compilelint.dynamic.targets import Target
from compilelint.model import (
    CudaGraphs,
    Divergence,
    ExportTry,
    Fate,
    LeftOut,
    LimitHit,
    ObservedBreak,
    Parity,
    Recompile,
    Remnant,
    SkippedFrame,
    Step,
    TargetRun,
)
from compilelint.torchfacts.reasons import reason_of_words

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_SHOWN_FIRST, _SHOWN_LAST = 2_000, 6_000


@dataclass(frozen=True, slots=True)
class Overlay:
    """A copy of a project that is run in its place; both are absolute folders."""

    original: str
    copy: str

    def inside_copy(self, path: str) -> str:
        """The place in the copy of a path in the original; other paths as they are."""
        return _moved(path, self.original, self.copy)

    def inside_original(self, path: str) -> str:
        """The other way."""
        return _moved(path, self.copy, self.original)


def _moved(path: str, source: str, destination: str) -> str:
    whole = os.path.abspath(path)
    if whole == source or whole.startswith(source.rstrip("/") + "/"):
        return destination + whole[len(source.rstrip("/")) :]
    return path


def run_of(
    target: Target,
    observed: Mapping[str, Any],
    output: str,
    overlay: Overlay | None = None,
    torch_path: str = "",
    project: Sequence[str] = (),
) -> TargetRun:
    """A worker's answer as a `TargetRun`; `project` are its folders, where it was run."""
    here: Callable[[str], str] = str if overlay is None else overlay.inside_original
    watched = _watcher(observed.get("place"), project)
    breaks = tuple(_break(one, watched, here) for one in observed.get("breaks", ()))
    parity = observed.get("parity")
    place = observed.get("place")
    return TargetRun(
        target=target.label,
        fate=Fate(observed["fate"]),
        detail=str(observed.get("detail", "")),
        output=_bounded(output),
        torch=str(observed.get("torch", "")),
        mode=target.mode,
        place=None if place is None else _step(place, here),
        inputs=tuple(observed.get("inputs", ())),
        inputs_from=str(observed.get("inputs_from", "")),
        calls=int(observed.get("calls", 0)),
        graphs=int(observed.get("graphs", 0)),
        ops=tuple(observed.get("ops", ())),
        compile_seconds=float(observed.get("compile_seconds", 0.0)),
        seconds=float(observed.get("seconds", 0.0)),
        peak_memory=float(observed.get("peak_memory", 0.0)),
        breaks=breaks,
        skipped=tuple(
            SkippedFrame(_clean(one["path"], here), one["line"], one["function"], one["reason"])
            for one in observed.get("skipped", ())
        ),
        recompiles=tuple(_recompile(one, here) for one in observed.get("recompiles", ())),
        limits=tuple(
            LimitHit(_clean(one["path"], here), one["line"], one["function"], one["text"])
            for one in observed.get("limits", ())
        ),
        parity=None if parity is None else _parity(parity),
        traced=tuple((_clean(path, here), tuple(lines)) for path, lines in observed.get("traced", {}).items()),
        witnesses=_witnesses(observed, breaks, torch_path),
        max_breaks=target.max_breaks,
        max_recompiles=target.max_recompiles,
        exports=tuple(ExportTry(**one) for one in observed.get("exports", ())),
        cuda_graphs=_cuda_graphs(observed.get("cuda_graphs"), watched, here),
        remnants=(*(Remnant("", 0, text) for text in observed.get("remnants", ())), *_written(observed, here)),
    )


def run_or_none_of(
    target: Target,
    observed: Mapping[str, Any],
    output: str,
    overlay: Overlay | None = None,
    torch_path: str = "",
    project: Sequence[str] = (),
) -> TargetRun:
    """The same of an answer that may be anything: one that cannot be read is no answer, and costs its target alone."""
    try:
        return run_of(target, observed, output, overlay, torch_path, project)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, OverflowError):
        nothing = {"fate": Fate.NO_ANSWER.value, "detail": "what the worker answered cannot be read"}
        return run_of(target, nothing, output)


def _cuda_graphs(
    observed: Mapping[str, Any] | None, watched: Callable[[str], bool], here: Callable[[str], str]
) -> CudaGraphs | None:
    if observed is None:
        return None
    left_out = []
    for one in observed["left_out"]:
        own = [frame for frame in one["stack"] if watched(frame[0])]
        outside = [frame for frame in one["stack"] if not _is_torch(frame[0])]
        path, line, function = (own or outside or [["", 0, ""]])[-1]
        left_out.append(LeftOut(one["reason"], _clean(path, here), line, _function(function)))
    return CudaGraphs(observed["recorded"], tuple(dict.fromkeys(left_out)), observed["error"])


def _written(observed: Mapping[str, Any], here: Callable[[str], str]) -> Iterator[Remnant]:
    """The remnants in the files of a model's classes."""
    for path in observed.get("sources", ()):
        with contextlib.suppress(OSError):
            text = Path(path).read_text(encoding="utf-8", errors="replace")
            yield from (Remnant(_clean(path, here), line, words) for line, words in remnants_in(text))


def _bounded(output: str) -> str:
    """The first and the last of what was printed."""
    dropped = len(output) - _SHOWN_FIRST - _SHOWN_LAST
    if dropped <= 0:
        return output
    return f"{output[:_SHOWN_FIRST]}\n... {dropped:,} characters left out ...\n{output[-_SHOWN_LAST:]}"


def _watcher(place: Any, project: Sequence[str]) -> Callable[[str], bool]:
    """Whether a file is the target's own: of its top package or folder, or of the project."""
    home = top_folder(str(place[0])) if place else ""
    folders = (*project, home)  # an environment below one of them (`.venv`) is not the project's

    def watched(path: str) -> bool:
        return bool(home) and is_of_project(path, folders)

    return watched


def is_of_project(path: str, folders: Sequence[str]) -> bool:
    """Whether a file lies in one of some folders and is not installed below it."""
    heads = [one.rstrip("/") + "/" for one in folders if one]
    below = [path[len(head) :] for head in heads if path.startswith(head)]
    return any(not _INSTALLED.intersection(one.replace(os.sep, "/").split("/")) for one in below)


def top_folder(path: str) -> str:
    """The folder of the outermost package around a file, else the file's own folder, ending in `/`."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.exists(f"{folder}/__init__.py"):
        return folder + "/"
    while os.path.exists(f"{os.path.dirname(folder)}/__init__.py"):
        folder = os.path.dirname(folder)
    return folder + "/"


def _clean(path: str, here: Callable[[str], str]) -> str:
    """A path as findings have it: of the original project, absolute, with `/`."""
    return here(os.path.abspath(path) if path else path).replace(os.sep, "/")


def _step(frame: Any, here: Callable[[str], str]) -> Step:
    return Step(_clean(str(frame[0]), here), int(frame[1]), _function(str(frame[2])))


def _function(name: str) -> str:
    """The name that the user wrote: `forward` for `torch_dynamo_resume_in_forward_at_9`."""
    if not name.startswith("torch_dynamo_resume_in_"):
        return name
    return name.removeprefix("torch_dynamo_resume_in_").rpartition("_at_")[0]


def _break(one: Mapping[str, Any], watched: Callable[[str], bool], here: Callable[[str], str]) -> ObservedBreak:
    own = [frame for frame in one["stack"] if watched(frame[0])]
    outside = [frame for frame in one["stack"] if not _is_torch(frame[0])]
    path, line, function = (own or outside or one["stack"] or [["", 0, ""]])[-1]
    first, last, statement = statement_at(path, line)
    return ObservedBreak(
        path=_clean(path, here),
        line=max(line, 1),
        first_line=first,
        end_line=last,
        function=_function(function),
        statement=statement,
        break_id=one["break_id"],
        reason=reason_of_words(one["words"]).value,
        words=one["words"],
        explanation=one["explanation"],
        stack=tuple(_step(frame, here) for frame in one["stack"] if not _is_torch(frame[0])),
        root=None if one["root"] is None else _step(one["root"], here),
        call=one["call"],
        times=one["times"],
        skips_frame=one["skips_frame"],
        after=one["after"],
    )


def _is_torch(path: str) -> bool:
    return "/torch/" in path.replace(os.sep, "/") or path.startswith("<")


def _recompile(one: Mapping[str, Any], here: Callable[[str], str]) -> Recompile:
    source = one.get("source")
    return Recompile(
        _clean(one["path"], here),
        one["line"],
        one["function"],
        one["call"],
        tuple(one["guards"]),
        one["cause"],
        None if source is None else _step(source, here),
        one.get("instance", 0),
    )


def _parity(observed: Mapping[str, Any]) -> Parity:
    found = tuple(Divergence(one["kind"], one["name"], one["call"], one["text"]) for one in observed["divergences"])
    return Parity(observed["calls"], observed["compared"], found, observed["unknown"])


def _witnesses(observed: Mapping[str, Any], breaks: tuple[ObservedBreak, ...], torch_path: str) -> tuple[str, ...]:
    """In what the witnesses differ: the graph-break log, the graphs that were cut, and `explain` if it was asked."""
    if "graphs" not in observed:
        return ()
    found = []
    logged = {tuple(one["stack"][-1][:2]) for one in observed["breaks"] if one["stack"]}
    cut = {tuple(one) for one in observed.get("cut", ())}
    for path, line in sorted(cut - logged):
        found.append(f"a graph ends at {path}:{line} that the graph-break log does not name")
    explained = observed.get("explained")
    if explained is not None:
        places = {tuple(one) for one in explained["places"]}
        first = {(one.path, one.line) for one in breaks if one.call == 0 and not one.after}
        unseen = sorted(first - places)
        if unseen:
            shown = ", ".join(f"{path}:{line}" for path, line in unseen[:3])
            found.append(f"torch._dynamo.explain does not see the break at {shown}")
        more = sorted(places - first - {tuple(one["stack"][-1][:2]) for one in observed["breaks"] if one["stack"]})
        if more:
            shown = ", ".join(f"{path}:{line}" for path, line in more[:3])
            found.append(f"only torch._dynamo.explain sees a break at {shown}")
    if observed.get("missing"):
        found.append(f"this torch has no {', '.join(observed['missing'])}: what they would show is not seen")
    return tuple(found)


# ------------------------------------------------------------------ statements


def statement_at(path: str, line: int) -> tuple[int, int, str]:
    """First and last line of the smallest statement (of a compound one, its head) around a line; the line's text."""
    lines, statements = _statements(path)
    if not 0 < line <= len(lines):
        return max(line, 1), max(line, 1), ""
    around = [(last - first, first, last) for first, last in statements if first <= line <= last]
    _, first, last = min(around, default=(0, line, line))
    return first, last, lines[line - 1].strip()


@lru_cache(maxsize=64)
def _statements(path: str) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """A file's lines, and first and last line of its statements; those of a compound statement are its head's."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return (), ()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return tuple(text.splitlines()), ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = node.end_lineno or node.lineno
            if isinstance(body, list) and body:
                last = max(node.lineno, body[0].lineno - 1)
            found.append((node.lineno, last))
    return tuple(text.splitlines()), tuple(found)
