"""Listens to TorchDynamo while a compiled function is called: breaks, skipped frames, recompiles, graphs, traced lines.

Breaks are taken where Dynamo reports them, before it may throw an empty graph away, because every counter of its own
misses some. Hooks that a torch version lacks are left out, and `missing` names them. Does not belong here: which frame
is the user's, and what a finding makes of it; whole stacks go to the parent.
"""

from __future__ import annotations

import contextlib
import logging
import re
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import convert_frame, exc, symbolic_convert

from compilelint.dynamic.worker.hooks import Hooks

TORCH = torch.__path__[0]
STDLIB = sysconfig.get_paths()["stdlib"]
ANOTHER = "*** While handling this graph break, another graph break occurred: ***"
COMPILED_CALL = "call_compiled"
"""The function whose frame marks where our own code ends and the user's begins."""

_SITE = sysconfig.get_paths()["purelib"]
_MOST_TEXT = 1500
_COMPREHENSION = re.compile(r"(comp|genexpr)>$")
_ITERATOR_BREAKS = (
    "Missing tp_iternext",
    "Unexpected type in sourceless builder",
    "C-implemented special method without VariableTracker model",
    "Generator reconstruction with mutations",
)
_LIMIT = re.compile(r"hit config\.\w+ \(\d+\)")
_LIMIT_PLACE = re.compile(r"function: '(?P<function>[^']*)' \((?P<path>.*):(?P<line>\d+)\)")
_GUARD_FRAME = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)')
_GUARD_COMMENT = re.compile(r"# (?P<path>[^\s#:]+\.py):(?P<line>\d+) in (?P<function>\S+)")
_OF_TENSOR = re.compile(r"mismatch|dtype|device|requires_grad|stride|\brank\b|\.size\(\)|dispatch key")
_GUARD_NAME = re.compile(r"L\['(\w+)'\]|^\s*(?:\d+/\d+: )?(?:not |len\(|type\(|hasattr\(|\W)*([A-Za-z_]\w*)")


def is_watchable(path: str) -> bool:
    """A file whose lines may be the user's: neither torch's, nor the standard library's, nor made up."""
    if path.startswith((TORCH, "<")):
        return False
    return not path.startswith(STDLIB) or path.startswith(_SITE)


class Recorder:
    """What Dynamo did. `call` is set by the maker of the calls."""

    def __init__(self) -> None:
        self.call = 0
        self.breaks: list[dict[str, Any]] = []
        self.skipped: list[dict[str, Any]] = []
        self.recompiles: list[dict[str, Any]] = []
        self.instances: dict[int, int] = {}
        self.limits: list[dict[str, Any]] = []
        self.lines: dict[str, set[int]] = {}
        self.frames: set[str] = set()  # what was compiled, and not skipped: see `frame_name`
        self.ops: list[int] = []
        self.cut: set[tuple[str, int]] = set()  # second witness: places where a graph was handed over early
        self.compile_seconds = 0.0
        self.missing: list[str] = []
        self._depth = 0
        self._ids = break_ids()

    def backend(self, name: str) -> Callable[..., Any]:
        """A backend that counts graphs and their operations, then lets `name` compile them."""
        inner = None if name == "eager" else torch._dynamo.lookup_backend(name)

        def record(graph: torch.fx.GraphModule, inputs: list[Any]) -> Any:
            self.ops.append(sum(node.op.startswith("call_") for node in graph.graph.nodes))
            return graph.forward if inner is None else inner(graph, inputs)

        return record

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record what Dynamo does while the block runs."""
        translator = symbolic_convert.InstructionTranslatorBase
        with Hooks(self.missing) as hooks:
            for owner, name, make in (
                (translator, "log_graph_break", self._log_graph_break),
                (translator, "starts_line", self._starts_line),
                (convert_frame, "_compile", self._compile),
                (convert_frame.CatchErrorsWrapper, "_handle_skip", self._handle_skip),
                (torch._dynamo.output_graph.OutputGraph, "compile_subgraph", self._compile_subgraph),
            ):
                hooks.replace(owner, name, make)
            plural, single = "get_and_maybe_log_recompilation_reasons", "get_and_maybe_log_recompilation_reason"
            hooks.replace(convert_frame, plural if hasattr(convert_frame, plural) else single, self._recompiling)
            if not hasattr(translator, "log_graph_break"):  # torch 2.5: a function of the module
                hooks.replace(symbolic_convert, "log_graph_break", self._old_log_graph_break)
            hooks.enter_context(self._hearing_warnings())
            yield

    @contextlib.contextmanager
    def _hearing_warnings(self) -> Iterator[None]:
        """Dynamo reports that a limit is hit in a log line only."""
        handler = _LogLines(self._limit)
        logger = logging.getLogger("torch._dynamo")
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)

    # ------------------------------------------------------------------ hooks

    def _log_graph_break(self, original: Any) -> Any:
        def log_graph_break(translator: Any, code_options: Any, *args: Any, **more: Any) -> Any:
            error = more.get("exc") or next((one for one in args if isinstance(one, BaseException)), None)
            if error is None:  # torch 2.6 and 2.7 hand over a stack instead of the exception
                reason = more.get("reason", args[0] if args else "")
                self._break(None, str(reason), more.get("user_stack"), translator.f_code, translator.lineno)
            elif not getattr(error, "logged", False):
                self._break(error, str(more.get("reason", "")), None, translator.f_code, translator.lineno)
            return original(translator, code_options, *args, **more)

        return log_graph_break

    def _old_log_graph_break(self, original: Any) -> Any:
        def log_graph_break(code_options: Any, reason: str = "", exc_info: bool = False, user_stack: Any = None) -> Any:
            self._break(None, reason, user_stack, None, 0)
            return original(code_options, reason=reason, exc_info=exc_info, user_stack=user_stack)

        return log_graph_break

    def _starts_line(self, original: Any) -> Any:
        def starts_line(translator: Any, number: int) -> Any:
            self.lines.setdefault(translator.f_code.co_filename, set()).add(number)
            return original(translator, number)

        return starts_line

    def _compile(self, original: Any) -> Any:
        def compile_(*args: Any, **more: Any) -> Any:
            code = args[0] if args else more["code"]
            started = time.perf_counter()
            self._depth += 1
            try:
                result = original(*args, **more)
                if getattr(result, "guarded_code", result) is not None:  # up to torch 2.6 it is the code itself
                    self.frames.add(frame_name(*frame_of(code)))
                return result
            except (exc.Unsupported, exc.UserError) as error:
                if not getattr(error, "logged", False):
                    self._break(error, str(error), None, code, code.co_firstlineno, skips_frame=True)
                raise
            finally:
                self._depth -= 1
                if not self._depth:
                    self.compile_seconds += time.perf_counter() - started

        return compile_

    def _handle_skip(self, original: Any) -> Any:
        def handle_skip(wrapper: Any, result: Any, frame: Any) -> Any:
            if result.skip_reason is not None and result.guarded_code is None:
                path, line, function = frame_of(frame.f_code)
                if is_watchable(path):
                    entry = {"path": path, "line": line, "function": function, "reason": str(result.skip_reason)[:300]}
                    if entry not in self.skipped:
                        self.skipped.append(entry)
            return original(wrapper, result, frame)

        return handle_skip

    def _compile_subgraph(self, original: Any) -> Any:
        def compile_subgraph(graph: Any, translator: Any, reason: Any, *args: Any, **more: Any) -> Any:
            if getattr(reason, "graph_break", True) and reason.user_stack:
                frame = reason.user_stack[-1]
                self.cut.add((frame.filename, frame.lineno or 0))
            return original(graph, translator, reason, *args, **more)

        return compile_subgraph

    def _recompiling(self, original: Any) -> Any:
        def recompiling(entries: Any, frame: Any, *args: Any, **more: Any) -> Any:
            reasons = original(entries, frame, *args, **more)
            path, line, function = frame_of(frame.f_code)
            guards = [str(one) for one in ([reasons] if isinstance(reasons, str) else reasons or [])]
            self.recompiles.append(
                {
                    "path": path,
                    "line": line,
                    "function": function,
                    "call": self.call,
                    "guards": [_guard_text(one) for one in guards],
                    "cause": _cause(guards, frame),
                    "source": self._guard_place(guards),
                    "instance": self._instance(frame),
                }
            )
            return reasons

        return recompiling

    def _instance(self, frame: Any) -> int:
        """A number for the module whose method a frame is, the same each time; 0 where it is none."""
        code = frame.f_code
        first = code.co_varnames[0] if code.co_argcount else ""
        held = (getattr(frame, "f_locals", None) or {}).get(first)
        if not isinstance(held, torch.nn.Module):
            return 0
        return self.instances.setdefault(id(held), len(self.instances) + 1)

    def _limit(self, text: str) -> None:
        if not _LIMIT.search(text):
            return
        place = _LIMIT_PLACE.search(text)
        path, line, function = ("", 0, "") if place is None else (place["path"], int(place["line"]), place["function"])
        entry = {"path": path, "line": line, "function": function, "text": text.strip()[:600]}
        if entry not in self.limits:
            self.limits.append(entry)

    def _guard_place(self, guards: list[str]) -> list[Any] | None:
        """The user's line that made a guard: from the stack Dynamo puts behind it, else from its comment."""
        for guard in guards:
            frames = [one for one in _GUARD_FRAME.finditer(guard) if is_watchable(one["path"])]
            if frames:
                return [frames[-1]["path"], int(frames[-1]["line"]), frames[-1]["function"]]
            comment = _GUARD_COMMENT.search(guard)
            whole = [path for path in self.lines if comment and path.endswith(f"/{comment['path']}")]
            if comment and len(whole) == 1:
                return [whole[0], int(comment["line"]), comment["function"]]
        return None

    # ----------------------------------------------------------------- breaks

    def _break(self, error: Any, reason: str, user_stack: Any, code: Any, line: int, skips_frame: bool = False) -> None:
        """Note a break; Dynamo tries the same place again from every enclosing frame, and counts it once a frame."""
        stack = self._stack(error, user_stack)
        if not stack and code is not None:
            stack = [[code.co_filename, max(line or 0, code.co_firstlineno), code.co_name]]
        text = getattr(error, "msg", None) or (str(error) if error is not None else reason)
        words = text.split(ANOTHER)[0].strip().partition("\n")[0]
        gb_type = getattr(error, "gb_type", None)
        if gb_type and ANOTHER not in text:
            words = gb_type
        root = None if code is None else frame_of(code)
        found = {
            "stack": stack,
            "words": words[:300],
            "break_id": self._ids.get(words, ""),
            "explanation": text[:_MOST_TEXT],
            "root": root,
            "call": self.call,
            "skips_frame": skips_frame,
            "after": _after(words, root),
        }
        for one in self.breaks:
            if all(one[key] == found[key] for key in ("words", "root", "call")) and one["stack"][-1:] == stack[-1:]:
                one["times"] += 1
                return
        self.breaks.append({**found, "times": 1})

    def _stack(self, error: Any, user_stack: Any) -> list[list[Any]]:
        """The user's frames, outermost first, from the compiled call down to the break."""
        below = getattr(error, "real_stack", None) if error is not None else user_stack
        if below is None:
            try:
                below = torch._guards.TracingContext.extract_stack()
            except AssertionError:  # no tracing context: the break came before or after tracing
                below = []
        above = exc.get_stack_above_dynamo() if hasattr(exc, "get_stack_above_dynamo") else []
        frames = [*above, *below]
        if hasattr(exc, "collapse_resume_frames"):
            with contextlib.suppress(IndexError, AttributeError):
                frames = list(exc.collapse_resume_frames(torch._guards.StackSummary.from_list(frames)))
        found: list[list[Any]] = []
        for frame in frames:
            found.append([frame.filename, frame.lineno or 0, frame.name])
            if frame.name == COMPILED_CALL:
                found = []
        return found

    def observed(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "breaks": self.breaks,
            "skipped": self.skipped,
            "recompiles": self.recompiles,
            "limits": self.limits,
            "ops": self.ops,
            "graphs": len(self.ops),
            "compile_seconds": round(self.compile_seconds, 4),
            "traced": {path: sorted(lines) for path, lines in sorted(self.lines.items()) if is_watchable(path)},
            "cut": sorted(self.cut),
            "missing": self.missing,
        }


def count_of_places(breaks: Iterable[Mapping[str, Any]]) -> int:
    """At how many lines outside of torch recorded breaks are that no other one brought with it."""
    places = set()
    for one in breaks:
        outside = [frame for frame in one["stack"] if is_watchable(frame[0])]
        if not one["after"]:
            places.add(tuple(outside[-1][:2]) if outside else None)
    return len(places)


class _LogLines(logging.Handler):
    def __init__(self, receive: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._receive = receive

    def emit(self, record: logging.LogRecord) -> None:
        self._receive(record.getMessage())


def break_ids() -> dict[str, str]:
    """Dynamo's id for each break type; empty in versions without ids."""
    load = getattr(exc, "_load_gb_type_to_gb_id_map", None)
    found = load() if load is not None else {}
    return {name: number if str(number).startswith("GB") else f"GB{number}" for name, number in found.items()}


def frame_of(code: Any) -> list[Any]:
    """Path, first line and name of a frame's code; of the function itself where the code is a resume function."""
    try:
        from torch._dynamo.resume_execution import ContinueExecutionCache

        known = ContinueExecutionCache.generated_code_metadata
        if code in known:
            code = known[code].code
    except (ImportError, AttributeError, KeyError):
        pass
    return [code.co_filename, code.co_firstlineno, getattr(code, "co_qualname", code.co_name)]


def frame_name(path: str, line: int, function: str) -> str:
    """How a frame is called in two versions of a file, in which its lines are others."""
    return f"{path}::{function}"


def _after(words: str, root: list[Any] | None) -> str:
    """From what earlier trouble a break follows, in a word; empty where it stands for itself."""
    name = root[2] if root else ""
    if _COMPREHENSION.search(name) and words in _ITERATOR_BREAKS:
        return "comprehension"  # up to 3.11 its own frame, compiled alone after an earlier break, over a bare iterator
    if words == "Dynamo recompile limit exceeded":
        return "recompile-limit"
    if name.rpartition(".")[2] == "__init__" or words == "Uninitialized nn.Module":
        return "constructor"  # run in Python after an earlier break, and compiled as a frame of its own
    return ""


def _guard_text(guard: str) -> str:
    """The guard itself, without its number, the place as a comment (cut to some length), the stack and the hint."""
    first = guard.strip().partition("\n")[0].partition(" (HINT:")[0].partition("  # ")[0]
    first = re.sub(r"^\d+/\d+: ", "", first)
    return re.sub(r"\s+", " ", first).strip()[:300]


def _cause(guards: list[str], frame: Any) -> str:
    """Whether what failed reads the caller's inputs or the state that the code keeps."""
    if not guards:
        return "inputs"
    first = guards[0]
    if _OF_TENSOR.search(first.partition("#")[0]):
        return "inputs"
    match = _GUARD_NAME.search(first.partition(": ")[2] or first)
    name = (match[1] or match[2]) if match else ""
    code = frame.f_code
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    held = (getattr(frame, "f_locals", None) or {}).get(name)
    return "inputs" if name in parameters and not isinstance(held, torch.nn.Module) else "state"
