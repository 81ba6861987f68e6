"""Replays without a device what Inductor decides about CUDA graphs; run as a file with a CUDA build of torch.

    python benchmarks/cudagraphs/replay.py benchmarks/cudagraphs/programs OUT.jsonl
    python benchmarks/cudagraphs/replay.py CASES.jsonl OUT.jsonl --factories FOLDER [--dtype bfloat16]     models

The tensors are fake: they have sizes, a dtype and a device, but no data, so `cuda` needs no driver. Dynamo, Inductor's
passes, lowering and scheduler are the real ones; where the scheduler would generate code, it is asked for the parts
that it would leave out of a recording, and the graph runs over fake tensors instead. Results that a later run would
overwrite are followed by their storages. What only a run on a device can show is not seen: an operation that raises in
the capture, and branches on data. So a line of the output also has `kernels`: the operators of other libraries whose
kernels are Python, which may do anything in a capture, and `traced_lines`: what Dynamo read, by file as its package
names it. The output is that of `record.py` else; `status` may also be

    not-replayed  the program needs data where a fake tensor has none, or the replay itself failed or did not end

A case of models is a line `{"case", "factory": "FILE.py:NAME", "factory_args"}`, as `record.py` takes them.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib.util
import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
from torch._subclasses import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils import _pytree as pytree

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_CALLS_COMPILED = 3
_PROPERTIES = {
    "name": "NVIDIA H100 80GB HBM3",
    "major": 9,
    "minor": 0,
    "total_memory": 80 << 30,
    "multi_processor_count": 132,
    "regs_per_multiprocessor": 65536,
    "max_threads_per_multi_processor": 2048,
    "warp_size": 32,
    "shared_memory_per_block_optin": 232448,
    "gcnArchName": "",
}


def main() -> None:
    """Replay every program of a folder, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="a folder of programs, or a file of cases of models")
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--factories", default=".", help="the folder of the factories of models")
    parser.add_argument("--dtype", default="", help="the dtype that models and their inputs are moved to")
    parser.add_argument("--seconds", type=int, default=0, help="replay each case in a process that may take so long")
    args = parser.parse_args()
    done = {row["case"] for row in _lines(args.out)} if args.out.exists() else set()
    sys.path[:0] = [args.factories]
    for case, load in _cases(args.source, args.dtype):
        if args.only in case and case not in done:
            row = _limited(case, load, args.seconds) if args.seconds else _replayed(case, load)
            with args.out.open("a") as out:
                out.write(json.dumps(row) + "\n")


_Load = Callable[[], tuple[Any, list[Any]]]


def _cases(source: Path, dtype: str) -> Iterator[tuple[str, _Load]]:
    """Every case, and what makes it."""
    if source.is_dir():
        for path in sorted(source.glob("*.py")):
            for name in re.findall(r"^def make_(\w+)", path.read_text(), re.MULTILINE):
                yield f"{path.stem}/{name}", partial(_load, path, f"make_{name}")
        return
    for row in _lines(source):
        yield row["case"], partial(_model, row, dtype)


def _model(row: dict[str, Any], dtype: str) -> tuple[Any, list[Any]]:
    """A model or a step of a scheduler, with its first two calls."""
    file, name = row["factory"].split(":")
    target, calls, *_ = getattr(importlib.import_module(Path(file).stem), name)(**row["factory_args"])
    if isinstance(target, torch.nn.Module):
        target = target.train(row.get("mode") == "train")
    if dtype:
        wanted = getattr(torch, dtype)

        def cast(value: Any) -> Any:
            return value.to(wanted) if isinstance(value, torch.Tensor) and value.is_floating_point() else value

        target = target.to(wanted) if isinstance(target, torch.nn.Module) else target
        calls = pytree.tree_map(cast, list(calls))
    return target, list(calls)[:2]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def _load(path: Path, make: str) -> tuple[Any, list[Any]]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.get(path.stem)
    if module is None:
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    target, calls = getattr(module, make)()
    return target, list(calls)[:2]


def _limited(case: str, load: _Load, seconds: int) -> dict[str, Any]:
    """One row of the output, made by a process that is ended when it takes too long."""
    with tempfile.NamedTemporaryFile() as place:
        process = os.fork()
        if process == 0:
            signal.alarm(seconds)
            Path(place.name).write_text(json.dumps(_replayed(case, load)))
            os._exit(0)
        os.waitpid(process, 0)
        text = Path(place.name).read_text()
    unknown = {"case": case, "torch": torch.__version__, "device": "none", "status": "not-replayed"}
    return json.loads(text) if text else unknown | {"error": "did not end"}


def _replayed(case: str, load: _Load) -> dict[str, Any]:
    """One row of the output."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    counters = torch._dynamo.utils.counters
    counters.clear()
    row: dict[str, Any] = {"case": case, "torch": torch.__version__, "device": "none", "error": None}
    replay = _Replay()
    traced: dict[str, set[int]] = {}
    try:
        with _pretending(), _tracing(traced):
            replay.run(*_made(replay, load))
    except Exception as error:  # noqa: BLE001 - whatever a program raises is what is recorded
        row["error"] = f"{type(error).__name__}: {error}"[:600]
    overwritten = "has been overwritten by a subsequent run" in (row["error"] or "")
    row |= {"recorded": replay.recorded, "graphs": len(replay.graphs), "breaks": sum(counters["graph_break"].values())}
    row |= {"skip_count": len(replay.skips), "skips": replay.skips, "partitions": replay.partitions}
    row["kernels"] = sorted(replay.kernels)
    row["traced_lines"] = {file: sorted(lines) for file, lines in sorted(traced.items())}
    hostile = bool(replay.skips or replay.partitions or overwritten)
    if (row["error"] or replay.needs_data) and not hostile:
        row["status"] = "not-replayed"
    elif not replay.graphs:
        row["status"] = "no-graph"
    elif hostile:
        row["status"] = "partial" if replay.recorded else "skipped"
    else:
        row["status"] = "graphed" if replay.recorded else "skipped"
    return row


@contextlib.contextmanager
def _tracing(lines: dict[str, set[int]]) -> Iterator[None]:
    """Keep the lines that Dynamo reads in files of other packages than torch."""
    from torch._dynamo.symbolic_convert import InstructionTranslatorBase

    starts = InstructionTranslatorBase.starts_line

    def starts_line(this: Any, number: int) -> None:
        _, found, name = this.f_code.co_filename.rpartition("/site-packages/")
        if found and not name.startswith("torch/"):
            lines.setdefault(name, set()).add(number)
        starts(this, number)

    with mock.patch.object(InstructionTranslatorBase, "starts_line", starts_line):
        yield


def _pretending() -> Any:
    """Patches that answer for the device: what an H100 is, and that Triton runs on it."""
    from contextlib import ExitStack

    from torch._dynamo.device_interface import CudaInterface
    from torch._inductor import constant_folding, scheduler
    from torch._inductor.fx_passes import joint_graph
    from torch.fx.experimental import proxy_tensor

    proxy_tensor.CONSTANT_NUMEL_LIMIT = -1  # a constant of one number or none would be moved to the device for real
    properties = SimpleNamespace(**_PROPERTIES)
    stack = ExitStack()
    for owner in (torch.cuda, CudaInterface, CudaInterface.Worker):
        stack.enter_context(mock.patch.object(owner, "get_device_properties", return_value=properties))
    for owner in (torch.cuda, CudaInterface):
        stack.enter_context(mock.patch.object(owner, "is_bf16_supported", return_value=True))
    stack.enter_context(mock.patch.object(torch.cuda, "get_device_capability", return_value=(9, 0)))
    stack.enter_context(mock.patch.object(CudaInterface, "get_compute_capability", return_value=90))
    stack.enter_context(mock.patch.object(torch.cuda, "current_device", return_value=0))
    stack.enter_context(mock.patch.object(scheduler, "has_triton", return_value=True))
    stack.enter_context(mock.patch.object(constant_folding.ConstantFolder, "call_function", _folded, create=True))
    folder = joint_graph.UniformValueConstantFolder
    deduce = folder._deduce_value

    def deduced(this: torch.fx.Interpreter, node: torch.fx.Node) -> Any:
        return _deduced(deduce, this, node)

    stack.enter_context(mock.patch.object(folder, "_deduce_value", deduced))
    return stack


def _made(replay: _Replay, load: _Load) -> tuple[Any, list[Any]]:
    """The program, with data if it can be had: one that asks for the device itself gets fake tensors from the start."""
    try:
        return load()
    except RuntimeError as error:
        if "NVIDIA driver" not in str(error):
            raise
        with replay.fake:
            return load()


def _here(values: Any) -> Any:
    """Constants are folded on the host; where they lie stands in the graph."""

    def here(value: Any) -> Any:
        return torch.device("cpu") if isinstance(value, torch.device) and value.type == "cuda" else value

    return pytree.tree_map(here, values)


def _folded(this: torch.fx.Interpreter, target: Any, args: Any, kwargs: Any) -> Any:
    return torch.fx.Interpreter.call_function(this, target, *_here((args, kwargs)))


def _deduced(deduce: Callable[..., Any], this: torch.fx.Interpreter, node: torch.fx.Node) -> Any:
    kwargs = node.kwargs
    node.kwargs = _here(kwargs)
    try:
        return deduce(this, node)
    finally:
        node.kwargs = kwargs


def _sizes() -> ShapeEnv:
    return ShapeEnv(allow_scalar_outputs=True, allow_dynamic_output_shape_ops=True)


class _Replay:
    """Compiles over fake tensors, and keeps what Inductor says of each graph."""

    def __init__(self) -> None:
        self.fake = _Mode(allow_non_fake_inputs=True, shape_env=_sizes())
        self.fake.replay = self
        self.graphs: list[_Graph] = []
        self.skips: list[dict[str, Any]] = []
        self.partitions: list[dict[str, Any]] = []
        self.kernels: set[str] = set()
        self.needs_data = False
        self.recorded = 0
        self.generation = 0  # the number of the call
        self.begun = 0  # that of the last one in which a recorded graph ran
        self.results: dict[StorageWeakRef, int] = {}

    def run(self, target: Any, calls: Sequence[Any]) -> None:
        """Move the model and the arguments as their owner would, and call the compiled model."""
        for one in (target, getattr(target, "__self__", None)):
            if isinstance(one, torch.nn.Module):
                self._move(one)
        compiled = torch.compile(target, backend=self._backend)
        with self.fake, torch.no_grad():
            for args, kwargs in calls:
                args, kwargs = pytree.tree_map(self._moved, (args, kwargs))
                for _ in range(_CALLS_COMPILED):
                    self.generation += 1
                    compiled(*args, **kwargs)

    def _moved(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        with self.fake:
            known = isinstance(value, FakeTensor)
            fake = (value if known else self.fake.from_tensor(value.detach(), static_shapes=True)).to("cuda")
        fake.requires_grad_(value.requires_grad)
        return fake

    def _move(self, module: torch.nn.Module) -> None:
        seen: dict[int, Any] = {}
        for one in module.modules():
            for name, parameter in list(one._parameters.items()):
                if parameter is not None:
                    new = seen.get(id(parameter))
                    if new is None:
                        new = torch.nn.Parameter(self._moved(parameter.detach()), parameter.requires_grad)
                        seen[id(parameter)] = new
                    one._parameters[name] = new
            for name, buffer in list(one._buffers.items()):
                if buffer is not None:
                    one._buffers[name] = seen.setdefault(id(buffer), self._moved(buffer))

    # ------------------------------------------------------------ compiling

    def _backend(self, module: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        from torch._inductor.compile_fx import compile_fx

        options = {"triton.cudagraphs": True, "graph_partition": True, "fx_graph_cache": False, "compile_threads": 1}
        compiled: Callable[..., Any] = compile_fx(module, inputs, inner_compile=self._inner, config_patches=options)
        return compiled

    def _inner(self, module: torch.fx.GraphModule, inputs: Sequence[Any], **settings: Any) -> Callable[..., Any]:
        """In the place of Inductor's compilation of one graph of ATen: everything before code is generated."""
        from torch._inductor import compile_fx, scheduler

        graph = _Graph(self, module, settings.get("static_input_idxs") or ())
        self.graphs.append(graph)
        self.kernels |= {str(node.target) for node in module.graph.nodes if _of_others(node.target)}

        def codegen(this: Any) -> None:
            graph.lowered(this)
            raise _LoweredError

        graph.module = copy.copy(module)
        with mock.patch.object(scheduler.Scheduler, "codegen", codegen):
            try:
                compile_fx.compile_fx_inner(module, inputs, **settings)
            except _LoweredError:
                pass
            except Exception as error:  # Inductor wraps ours; any other is raised again
                causes = (error.__cause__, getattr(error, "inner_exception", None))
                if not any(isinstance(cause, _LoweredError) for cause in causes):
                    raise
        return graph

    # ------------------------------------------------------------ memory

    def check(self, tensors: Any) -> None:
        """Raise where a tensor lies in memory that a later run has written over."""
        for one in pytree.tree_leaves(tensors):
            if isinstance(one, torch.Tensor):
                born = self.results.get(StorageWeakRef(one.untyped_storage()))
                if born is not None and born < self.begun:
                    raise RuntimeError("the result of a CUDA graph has been overwritten by a subsequent run")


def _of_others(target: Any) -> bool:
    """Whether an operator is none of torch's own."""
    own = ("aten", "prims", "prim", "inductor", "higher_order", "rngprims", "quantized", "torchvision")
    return isinstance(target, torch._ops.OpOverload) and target.namespace not in own


class _LoweredError(Exception):
    """Ends the compilation of a graph when its schedule is known."""


class _Graph:
    """One graph of ATen: what of it would be recorded, and how it runs over fake tensors."""

    _boxed_call = True

    def __init__(self, replay: _Replay, module: torch.fx.GraphModule, static: Sequence[int]) -> None:
        self.replay, self.module, self.static = replay, module, frozenset(static)
        self.written: dict[int, str] = {}
        self.skipped = False
        self.records = False

    def skip(self, reason: str, trace: str) -> None:
        self.skipped = True
        one = {"reason": reason, "places": _own(trace)[-1:]}
        if one not in self.replay.skips:
            self.replay.skips.append(one)

    def lowered(self, scheduler: Any) -> None:
        """Ask the scheduler what it would leave out."""
        from torch._inductor.virtualized import V

        kept = 0
        for node in scheduler.nodes:
            reason = scheduler.should_partition(node)
            if not reason:
                kept += 1
                continue
            inner = getattr(node, "node", None)
            if type(inner).__name__ == "AssertScalar":  # of a size that only data has: a run knows the number
                self.replay.needs_data = True
                continue
            places: set[str] = set()
            for origin in getattr(inner, "origins", None) or ():
                places.update(_own(str(getattr(origin, "stack_trace", "") or ""))[-1:])
            one = {"reason": str(reason)[:120], "node": type(inner).__name__, "places": sorted(places)}
            if one not in self.replay.partitions:
                self.replay.partitions.append(one)
        self.records = kept > 0 and not self.skipped
        self.replay.recorded += self.records
        placeholders = [n for n in self.module.graph.nodes if n.op == "placeholder"]
        for index in V.graph.mutated_input_idxs:
            if index not in self.static:
                uses = [str(use.meta.get("stack_trace") or "") for use in placeholders[index].users]
                self.written[index] = uses[-1] if uses else ""

    def __call__(self, inputs: list[Any]) -> Any:
        """Run over fake tensors; results lie in memory of the graph."""
        given = list(inputs)
        inputs.clear()
        replay = self.replay
        if self.records:
            replay.check(given)
            known = {StorageWeakRef(one.untyped_storage()) for one in given if isinstance(one, torch.Tensor)}
            for index, trace in self.written.items():
                if not (
                    isinstance(given[index], torch.Tensor)
                    and StorageWeakRef(given[index].untyped_storage()) in replay.results
                ):
                    self.skip("mutated inputs", trace)
            replay.begun = replay.generation
        results = self.module(*given)
        if self.records and not self.skipped:
            for one in pytree.tree_leaves(results):
                if isinstance(one, torch.Tensor) and one.device.type == "cuda":
                    place = StorageWeakRef(one.untyped_storage())
                    if place not in known:
                        replay.results[place] = replay.generation
        return results


class _Mode(FakeTensorMode):  # type: ignore[misc]
    """Fake tensors; an operation of eager code that reads an overwritten result raises."""

    replay: _Replay | None = None

    def dispatch(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.replay is not None and not torch.compiler.is_compiling():
            self.replay.check((args, kwargs))
        return super().dispatch(func, types, args, kwargs or {})


def _own(trace: str) -> list[str]:
    """The frames of a stack that lie in programs, outermost first, as `file:line`; of a model those of its library."""
    found = []
    for file, line in _FRAME.findall(trace):
        library = re.search(r"/site-packages/((?:transformers|diffusers|timm)/.*)", file)
        if library or "/site-packages/" not in file:
            found.append(f"{library[1] if library else Path(file).name}:{line}")
    return found


if __name__ == "__main__":
    main()
