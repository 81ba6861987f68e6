"""What TorchDynamo really does with a function: where graphs end, and how many there are. Needs torch.

Breaks are seen where Dynamo logs them, before it may throw an empty graph away; `torch._dynamo.explain` counts
graphs and so misses those. A break is charged to the innermost frame whose file lies in the watched place.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import convert_frame, exc, symbolic_convert

_ANOTHER = "*** While handling this graph break, another graph break occurred: ***"


@dataclass(frozen=True)
class Break:
    """One end of a graph: where in the watched files, in which frame, Dynamo's id and type, and the text it gives."""

    file: str
    line: int
    frame: str
    gb: str
    gb_type: str
    reason: str


@dataclass
class Recording:
    """What one compiled function did. `traced` maps files to lines Dynamo went through, `error` is what was raised."""

    breaks: list[Break] = field(default_factory=list)
    traced: dict[str, set[int]] = field(default_factory=dict)
    graphs: int = 0
    error: str = ""


def record(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], place: str) -> Recording:
    """Compile `function` with Dynamo's defaults, call it with each tuple of arguments, and return what happened.

    `place` is a file, or a folder ending in `/`: breaks and traced lines are charged to files whose path starts so.
    What compiling or calling raises is kept in `error`, so that a page can show it.
    """
    torch._dynamo.reset()
    recording = Recording()

    def backend(graph: torch.fx.GraphModule, _inputs: list[torch.Tensor]) -> Callable[..., Any]:
        recording.graphs += 1
        forward: Callable[..., Any] = graph.forward
        return forward

    with _watching(recording, place):
        compiled = torch.compile(function, backend=backend)
        try:
            for args in calls:
                compiled(*args)
        except Exception as error:  # noqa: BLE001 - whatever the recorded program raises is the record
            recording.error = f"{type(error).__name__}: {error}"
    return recording


@contextlib.contextmanager
def _watching(recording: Recording, place: str) -> Iterator[None]:
    """Listen to Dynamo's own report of breaks and traced lines while the block runs."""
    translator = symbolic_convert.InstructionTranslatorBase
    log, line, compile_ = translator.log_graph_break, translator.starts_line, convert_frame._compile

    def log_graph_break(self: Any, code_options: Any, reason: str = "", exc: Any = None, **more: Any) -> Any:
        if not exc.logged:
            _note(recording, place, exc, self.f_code, self.lineno)
        return log(self, code_options, reason=reason, exc=exc, **more)

    def starts_line(self: Any, number: int) -> Any:
        file = self.f_code.co_filename
        if file.startswith(place):
            recording.traced.setdefault(file, set()).add(number)
        return line(self, number)

    def compiling(*args: Any, **more: Any) -> Any:
        try:
            return compile_(*args, **more)
        except (exc.Unsupported, exc.UserError) as error:
            if not getattr(error, "logged", False):
                code = args[0] if args else more["code"]
                _note(recording, place, error, code, code.co_firstlineno)
            raise

    translator.log_graph_break, translator.starts_line = log_graph_break, starts_line
    convert_frame._compile = compiling
    try:
        yield
    finally:
        translator.log_graph_break, translator.starts_line = log, line
        convert_frame._compile = compile_


def _note(recording: Recording, place: str, error: Any, code: Any, line: int) -> None:
    """Add a break once; Dynamo tries the same place again from every enclosing frame."""
    stack = [*exc.get_stack_above_dynamo(), *(getattr(error, "real_stack", None) or [])]
    frames = [(one.filename, one.lineno, one.name) for one in stack if one.filename.startswith(place)]
    if not frames and code.co_filename.startswith(place):
        frames = [(code.co_filename, line, code.co_name)]
    text = getattr(error, "msg", None) or str(error)
    gb_type = text.split(_ANOTHER)[0].strip().partition("\n")[0]
    if isinstance(error, exc.Unsupported) and error.gb_type and _ANOTHER not in text:
        gb_type = error.gb_type
    file, line, frame = frames[-1] if frames else ("", 0, code.co_name)
    found = Break(file, line, frame, _ids().get(gb_type, ""), gb_type, text)
    if not any(
        (one.file, one.line, one.gb_type) == (found.file, found.line, found.gb_type) for one in recording.breaks
    ):
        recording.breaks.append(found)


def _ids() -> dict[str, str]:
    known = exc._load_gb_type_to_gb_id_map()
    return {gb_type: gb if str(gb).startswith("GB") else f"GB{gb}" for gb_type, gb in known.items()}
