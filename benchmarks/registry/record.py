"""Record what TorchDynamo does with each program of the registry. Needs torch; each case runs in a process of its own.

    python -m benchmarks.registry.record                    # every case; writes labels-VERSION.jsonl
    python -m benchmarks.registry.record --area tensors     # the cases of one file; the other rows stay
    python -m benchmarks.registry.record --area tensors --case set_storage --show

A file of `programs/` holds functions `make_NAME()` that give (callable or module, [(args, kwargs), ...]), and `SINCE`
where an older torch lacks what it calls. The callable is compiled with `backend="eager"` and Dynamo's defaults and
called with each of the samples, gradients on, as a caller does who sets nothing. A row has the fields of the truth
files (`benchmarks/truth`), so that `benchmarks/score.py` reads it.

`label` is `break`, `clean`, `recompile`, or `error` where the compilation fails. What ended it stands among `breaks`
with `kind` and `secondary` "error": never counted as a break. `splits` says of a break whether the innermost frame that
Dynamo tried was compiled up to there, rather than left to Python. `eager` says what the program raises without
compilation, where it does, as a misused higher-order operator.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import importlib.util
import logging
import multiprocessing
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import convert_frame, exc

from benchmarks.registry.labels import FOLDER, LABELS, PROGRAMS, Row, read, write
from compilelint.dynamic.worker.recorder import ANOTHER, COMPILED_CALL, Recorder, break_ids, frame_of

_TIMEOUT = 120.0  # seconds a case
_LONGEST_REASON = 400
_FOLDERS = re.compile(r"/\S*/(?=(?:site-packages|programs)/)")
_Sample = tuple[tuple[Any, ...], dict[str, Any]]


def version() -> str:
    """The torch that is running, as the labels are named: `2.13`."""
    return ".".join(torch.__version__.split(".")[:2])


def names_of(path: Path) -> list[str]:
    """The cases of a program file that this torch can run, in its order, without importing it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if _since(tree) > version():
        return []
    found = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return [name.removeprefix("make_") for name in found if name.startswith("make_")]


def _since(tree: ast.Module) -> str:
    """The first torch version that has what a file calls: its `SINCE`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SINCE":
            return str(ast.literal_eval(node.value))
    return ""


def record(path: Path, name: str) -> Row:
    """The row of one case, recorded in a process that ends with it."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(theirs, path, name))
    process.start()
    theirs.close()
    try:
        row: Row = ours.recv() if ours.poll(_TIMEOUT) else _failed(path, name, f"no answer in {_TIMEOUT:.0f} s")
    except EOFError:
        row = _failed(path, name, "the process died")
    process.kill()
    process.join()
    return row


def _send(connection: Connection, path: Path, name: str) -> None:
    warnings.filterwarnings("ignore")
    try:
        row = _recorded(path, name)
    except Exception as error:  # noqa: BLE001 - a program that cannot be built is reported with its name
        row = _failed(path, name, _text(f"{type(error).__name__}: {error}"))
    connection.send(row)
    connection.close()


def _recorded(path: Path, name: str) -> Row:
    make = getattr(_module(path), f"make_{name}")
    torch.manual_seed(0)
    function, samples = make()
    recorder = _Recorder()
    failure: BaseException | None = None
    with recorder.recording(), _refusals(recorder, getattr(function, "__code__", None)):
        compiled = torch.compile(function, backend=recorder.backend("eager"))
        for number, sample in enumerate(samples):
            recorder.call = number
            try:
                call_compiled(compiled, sample)
            except Exception as error:  # noqa: BLE001 - whatever the program raises is the record
                failure = error
                break
    row = _row(path, name, recorder, failure)
    torch.manual_seed(0)
    eager = _called(*make())  # afterwards: a program may hold compiled functions, which would be compiled here
    if eager and not (failure and any(_errors(path, failure))):
        return _failed(path, name, f"without compilation: {eager}")
    return {**row, "eager": eager} if eager else row


class _Recorder(Recorder):
    """Notes in addition which frame was compiled up to which line."""

    def __init__(self) -> None:
        super().__init__()
        self._handed_over: set[tuple[str, int, str, int]] = set()

    def _compile_subgraph(self, original: Any) -> Any:
        inner = super()._compile_subgraph(original)

        def compile_subgraph(graph: Any, translator: Any, reason: Any, *args: Any, **more: Any) -> Any:
            handed_over = inner(graph, translator, reason, *args, **more)  # raises where a value cannot be rebuilt
            if getattr(reason, "graph_break", True) and reason.user_stack:
                path, first, name = frame_of(translator.f_code)
                self._handed_over.add((path, first, name, reason.user_stack[-1].lineno or 0))
            return handed_over

        return compile_subgraph

    def splits(self, found: dict[str, Any]) -> bool:
        """Whether a graph ended at a break in the last frame that came to it, which is the innermost."""
        last = found["stack"][-1:]
        same = [one for one in self.breaks if one["words"] == found["words"] and one["stack"][-1:] == last]
        path, first, name = same[-1]["root"] or ("", 0, "")
        line = last[0][1] if last else 0
        return not same[-1]["skips_frame"] and (path, first, name, line) in self._handed_over


@contextlib.contextmanager
def _refusals(recorder: Recorder, code: CodeType | None) -> Iterator[None]:
    """Note that the program itself is refused before it is compiled, as a generator is; `Recorder` does not."""
    original = convert_frame.ConvertFrameAssert.__call__

    def call(assertion: Any, frame: Any, *args: Any, **more: Any) -> Any:
        try:
            return original(assertion, frame, *args, **more)
        except exc.Unsupported as error:
            if code is not None and frame.f_code is code and not recorder.breaks:
                recorder._break(error, str(error), None, code, code.co_firstlineno, skips_frame=True)
            raise

    convert_frame.ConvertFrameAssert.__call__ = call
    try:
        yield
    finally:
        convert_frame.ConvertFrameAssert.__call__ = original


def call_compiled(compiled: Callable[..., Any], sample: _Sample) -> None:
    """Call what was compiled; the recorder cuts stacks at this function's name."""
    args, kwargs = sample
    compiled(*args, **kwargs)


assert call_compiled.__name__ == COMPILED_CALL


def _called(function: Callable[..., Any], samples: Sequence[_Sample]) -> str:
    """What the program raises without compilation; empty where it runs."""
    for args, kwargs in samples:
        try:
            function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - said in the row
            return _text(f"{type(error).__name__}: {error}".partition("\n")[0])
    return ""


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _row(path: Path, name: str, recorder: _Recorder, failure: BaseException | None) -> Row:
    breaks: list[Row] = []
    for found in recorder.breaks:  # Dynamo tries a break again from every frame around it
        site = {**_break(path, found), "splits": recorder.splits(found)}
        if site not in breaks:
            breaks.append(site)
    if failure is not None:
        breaks = [*(one for one in breaks if one["kind"] == "break"), *_errors(path, failure)]
    counted = [one for one in breaks if one["secondary"] is None]
    label = "error" if failure else "break" if counted else "recompile" if recorder.recompiles else "clean"
    traced = recorder.observed()["traced"].get(str(path), [])
    return {
        **_head(path, name),
        "label": label,
        "graphs": len(recorder.ops),
        "traced_lines": {path.name: traced} if traced else {},
        "breaks": breaks,
        "recompiles": [[_text(guard) for guard in one["guards"]] for one in recorder.recompiles],
        "error": "" if failure is None else _text(f"{type(failure).__name__}: {failure}".partition("\n")[0]),
    }


def _head(path: Path, name: str) -> Row:
    return {"case": f"{path.stem}/{name}", "library": "registry", "torch": torch.__version__.partition("+")[0]}


def _failed(path: Path, name: str, why: str) -> Row:
    return {**_head(path, name), "label": "invalid", "traced_lines": {}, "breaks": [], "recompiles": [], "error": why}


def _break(path: Path, found: dict[str, Any]) -> Row:
    """A break as the truth files have it: charged to the innermost line of the program's own file."""
    kind = "skip_frame" if found["skips_frame"] else "break"
    root_path, root_line, _ = found["root"] or ("", 0, "")
    place = _innermost(path, found["stack"]) or (root_line if root_path == str(path) else 0)
    return {**_site(path, place, found["explanation"]), "kind": kind, "secondary": found["after"] or None}


def _errors(path: Path, failure: BaseException) -> Iterator[Row]:
    """The breaks behind an exception that ended a compilation, innermost first."""
    chain: list[BaseException] = []
    step: BaseException | None = failure
    while step is not None and step not in chain:
        chain.append(step)
        step = step.__cause__ or step.__context__
    seen = set()
    for error in reversed(chain):
        kind = getattr(error, "gb_type", None)
        if kind and kind not in seen:
            seen.add(kind)
            stack = [[one.filename, one.lineno, one.name] for one in getattr(error, "real_stack", None) or ()]
            site = _site(path, _innermost(path, stack), f"{kind}\n{getattr(error, 'msg', error)}")
            yield {**site, "kind": "error", "secondary": "error"}


def _innermost(path: Path, stack: Sequence[Sequence[Any]]) -> int:
    return next((line for file, line, _ in reversed(stack) if file == str(path)), 0)


def _site(path: Path, line: int, text: str) -> Row:
    """`chain` has the ids of further breaks that torch met while it handled the first."""
    types = [part.strip().partition("\n")[0] for part in text.split(ANOTHER)]
    ids = [_known_ids().get(one, "") for one in types]
    place = {"file": path.name, "line": line, "span": list(_statement(path, line))}
    return {**place, "gb": ids[0], "gb_type": types[0], "chain": ids[1:], "reason": _explanation(text)}


def _explanation(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    found = next((line for line in lines if line.startswith("Explanation: ")), "")
    return _text(found.removeprefix("Explanation: "))


def _text(text: str) -> str:
    """Words of torch without the folders of this machine."""
    return _FOLDERS.sub("", text)[:_LONGEST_REASON]


_known_ids = functools.cache(break_ids)


@functools.cache
def _statement(path: Path, line: int) -> tuple[int, int]:
    """First and last line of the statement (or of the head of a compound one) that a line belongs to."""
    best = (line, line)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
            if line <= last and (best == (line, line) or last - node.lineno < best[1] - best[0]):
                best = (node.lineno, last)
    return best


def _warm() -> None:
    """Let Dynamo import what it imports late once, before processes are forked."""

    def function(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        return torch.nn.functional.relu(x * x.sum().item())

    torch.compile(function, backend="eager")(torch.ones(2))
    torch._dynamo.reset()


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 1 where a program does not run without compilation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--area", action="append", default=[], help="only the programs of this file; repeatable")
    parser.add_argument("--case", action="append", default=[], help="only cases of this name; repeatable")
    parser.add_argument("--program", action="append", default=[], help="only this one (AREA/CASE); repeatable")
    parser.add_argument("--out", type=Path, help="write the recorded rows, and no others, into this file")
    parser.add_argument("--show", action="store_true", help="print what was recorded and write nothing")
    args = parser.parse_args(argv)
    logging.getLogger("torch").setLevel(logging.CRITICAL)
    torch.set_num_threads(1)
    _warm()
    paths = [path for path in sorted(PROGRAMS.glob("*.py")) if not args.area or path.stem in args.area]
    rows = []
    for path in paths:
        for name in names_of(path):
            if (not args.case or name in args.case) and (not args.program or f"{path.stem}/{name}" in args.program):
                rows.append(record(path, name))
                print(_line(rows[-1]), flush=True)
    if args.out is not None:
        write(args.out, rows)
    elif not args.show:
        labels = FOLDER / LABELS.format(version())
        fresh = {row["case"] for row in rows}
        known = {f"{path.stem}/{name}" for path in PROGRAMS.glob("*.py") for name in names_of(path)}
        kept = [row for row in read(labels) if row["case"] in known - fresh]
        write(labels, [*kept, *rows])
    return 1 if any(row["label"] == "invalid" for row in rows) else 0


def _line(row: Row) -> str:
    sites = (f"{one['line']} {one['gb']} {one['chain'] or ''} {one['gb_type']} {one['kind']}" for one in row["breaks"])
    return "  ".join([f"{row['label']:9} {row['case']}", "; ".join(sites), row["error"]])


if __name__ == "__main__":
    sys.exit(main())
