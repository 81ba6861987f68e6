"""Record what TorchDynamo compiles again when a case is called ten times with the same input. Needs torch.

    python -m benchmarks.recompiles.record CASES.py [CASES.py ...] --output LABELS.jsonl

A case file holds functions `make_NAME()` that give (callable, arguments). The arguments never change, so whatever is
compiled again is compiled again because the code itself changed what a guard reads. A line of the output is a case as
`benchmarks/score.py` reads it (`label`, `recompile_cause`, `traced_lines`, `breaks`), with `recompiles` beside it: the
call (from 0), the function that was compiled again, the guard as Dynamo prints it, and the source line behind it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import logging
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import convert_frame, symbolic_convert

CALLS = 10
_GUARD = re.compile(r"^\d+/\d+: (?P<text>.*?)(?:\s+# .*)?$")
_SAME_INPUT = re.compile(r'^Duplicate tensors found: \["x"')
_LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in')


@dataclass
class Recording:
    """One case: what was compiled again, which lines were traced, where graphs ended, what was raised."""

    recompiles: list[dict[str, Any]] = field(default_factory=list)
    traced: dict[str, set[int]] = field(default_factory=dict)
    breaks: list[dict[str, Any]] = field(default_factory=list)
    graphs: int = 0
    limit_hit: bool = False
    error: str = ""


def record(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], folder: str) -> Recording:
    """Compile `function` with Dynamo's defaults and call it with each tuple; lines of files below `folder` are kept."""
    torch._dynamo.reset()
    recording = Recording()

    def backend(graph: torch.fx.GraphModule, _inputs: list[torch.Tensor]) -> Callable[..., Any]:
        recording.graphs += 1
        forward: Callable[..., Any] = graph.forward
        return forward

    with listening(recording, folder) as call:
        compiled = torch.compile(function, backend=backend)
        for number, args in enumerate(calls):
            call[0] = number
            try:
                compiled(*args)
            except Exception as error:  # noqa: BLE001 - whatever the recorded program raises is the record
                recording.error = f"{type(error).__name__}: {error}".partition("\n")[0]
                break
    return recording


@contextlib.contextmanager
def listening(recording: Recording, folder: str) -> Iterator[list[int]]:
    """Listen to Dynamo's own reports while the block runs; gives the place where the number of the call is kept."""
    call = [0]
    translator = symbolic_convert.InstructionTranslatorBase
    reasons_of, line_of, break_of = (
        convert_frame.get_and_maybe_log_recompilation_reasons,
        translator.starts_line,
        translator.log_graph_break,
    )
    limit_of = convert_frame.exceeds_recompile_limit

    def reasons(cache_entries: Any, frame: Any, *rest: Any, **more: Any) -> Any:
        found = reasons_of(cache_entries, frame, *rest, **more)
        for text in found:
            recording.recompiles.append(_recompile(call[0], frame, str(text), folder))
            break  # the newest version is asked first
        return found

    def starts_line(self: Any, number: int) -> Any:
        file = self.f_code.co_filename
        if file.startswith(folder):
            recording.traced.setdefault(_relative(file, folder), set()).add(number)
        return line_of(self, number)

    def log_graph_break(self: Any, code_options: Any, reason: str = "", exc: Any = None, **more: Any) -> Any:
        file = self.f_code.co_filename
        if file.startswith(folder):
            where = {"file": _relative(file, folder), "line": self.lineno, "reason": str(reason).partition("\n")[0]}
            if where not in recording.breaks:
                recording.breaks.append(where)
        return break_of(self, code_options, reason=reason, exc=exc, **more)

    def exceeds(*args: Any, **more: Any) -> Any:
        answer = limit_of(*args, **more)
        recording.limit_hit = recording.limit_hit or bool(answer[0])
        return answer

    convert_frame.get_and_maybe_log_recompilation_reasons = reasons
    convert_frame.exceeds_recompile_limit = exceeds
    translator.starts_line, translator.log_graph_break = starts_line, log_graph_break
    try:
        yield call
    finally:
        convert_frame.get_and_maybe_log_recompilation_reasons = reasons_of
        convert_frame.exceeds_recompile_limit = limit_of
        translator.starts_line, translator.log_graph_break = line_of, break_of


@contextlib.contextmanager
def restored_state() -> Iterator[None]:
    """Take back what a case leaves switched: its next call shall meet it, the next case shall not."""
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    flags = [
        (matmul, "allow_tf32"),
        (matmul, "allow_fp16_reduced_precision_reduction"),
        (cudnn, "benchmark"),
        (cudnn, "deterministic"),
    ]
    kept = [getattr(owner, name) for owner, name in flags]
    precision, threads = torch.get_float32_matmul_precision(), torch.get_num_threads()
    autocast, autocast_dtype = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
    try:
        yield
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.set_default_device(None)
        torch.use_deterministic_algorithms(False)
        torch.set_num_threads(threads)
        torch.set_autocast_enabled("cpu", autocast)
        torch.set_autocast_dtype("cpu", autocast_dtype)
        for (owner, name), value in zip(flags, kept, strict=True):
            setattr(owner, name, value)
        torch.set_float32_matmul_precision(precision)


def _recompile(call: int, frame: Any, text: str, folder: str) -> dict[str, Any]:
    """One recompilation: the guard that failed, and the innermost line of the case behind it."""
    first, *rest = text.splitlines()
    found = _GUARD.match(first)
    guard = (found.group("text") if found else first).strip()
    places = [match for line in rest if (match := _LINE.search(line))]
    return {
        "call": call,
        "function": frame.f_code.co_qualname if hasattr(frame.f_code, "co_qualname") else frame.f_code.co_name,
        "resume": frame.f_code.co_name.startswith("torch_dynamo_resume"),
        "guard": guard.replace(folder, ""),
        "line": int(places[-1].group("line")) if places else None,
    }


def _relative(file: str, folder: str) -> str:
    return file.removeprefix(folder)


def label_of(recording: Recording) -> str:
    """`recompile` where a guard failed, `clean` where all calls ran what the first one compiled."""
    if recording.error:
        return "error"
    return "recompile" if recording.recompiles else "clean"


def cause_of(recompiles: Sequence[dict[str, Any]]) -> str | None:
    """`state` where the code's own changes compile again.

    A case that keeps the tensor it was given compiles again only because every call here gets the same one: `input`.
    """
    if not recompiles:
        return None
    same_input = all(_SAME_INPUT.search(one["guard"]) for one in recompiles)
    return "input" if same_input else "state"


def cases_of(path: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The cases of a file, in its order."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    for name, value in list(vars(module).items()):
        if name.startswith("make_"):
            yield f"{path.stem}/{name.removeprefix('make_')}", value


def recorded(path: Path, names: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """The records of a file's cases, each from fresh state; `names` picks some of them."""
    folder = f"{path.resolve().parent}/"
    for name, make in cases_of(path.resolve()):
        if names and name.partition("/")[2] not in names:
            continue
        torch.manual_seed(0)
        function, args = make()
        with restored_state():
            observed = record(function, [args] * CALLS, folder)
        yield {
            "case": name,
            "torch": torch.__version__.partition("+")[0],
            "label": label_of(observed),
            "recompile_cause": cause_of(observed.recompiles),
            "graphs": observed.graphs,
            "limit_hit": observed.limit_hit,
            "recompiles": observed.recompiles,
            "breaks": observed.breaks,
            "traced_lines": {file: sorted(lines) for file, lines in sorted(observed.traced.items())},
            "error": observed.error,
        }


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, help="write the records here, a line each; else a summary is printed")
    parser.add_argument("--case", action="append", default=[], help="only the case of this name; repeatable")
    args = parser.parse_args(argv)
    logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)
    torch.set_num_threads(1)
    rows = [row for path in args.files for row in recorded(path, frozenset(args.case))]
    if args.output:
        args.output.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for row in rows:
        guards = [f"{one['call']}:{one['guard']}" for one in row["recompiles"]]
        broken = f" breaks {[one['line'] for one in row['breaks']]}" if row["breaks"] else ""
        limit = " LIMIT" if row["limit_hit"] else ""
        print(f"{row['label']:9} {row['case']}{limit}{broken} {row['error']} {'; '.join(guards[:4])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
