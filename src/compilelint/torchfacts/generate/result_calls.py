"""Real calls of torch's operations and what they returned, in a form that needs no torch to be read.

Two sources: torch's own samples of its operations (`torch.testing._internal`, OpInfo), and plain forms of our own
(`result_forms`), since the samples seldom leave `dim` out or pass integers. Runs on the CPU, on real tensors, in
processes of their own: some functions crash, and some write where they should not, on arguments of another form.

A call is `{"name", "args", "kwargs", "out"}`; an argument is a list headed by its kind: `["t", dtype class, rank,
order, sizes]` a tensor, `["i", n]`, `["b", bool]`, `["f"]`, `["z", text]`, `["n"]` (None), `["d", class]` (a dtype),
`["s", [items]]` (a list or tuple), `["?"]`. A result is `["t", class, rank, order, is a view, sizes]`, `["s", kind,
[items], field names]` or `["p", type name]`. An order says how a tensor lies in memory: empty if contiguous, else which
dimension of the contiguous tensor each is ("10"), or "?" where it is none of these.
"""

from __future__ import annotations

import inspect
import itertools
import json
import os
import signal
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from compilelint.torchfacts.generate import result_arrays, result_forms
from compilelint.torchfacts.generate.apart import forked

Call = dict[str, Any]

_SAMPLES = 40  # of one operation and dtype
_SECONDS = 0.5  # of CPU, for one call
_DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)
# Of these a call would end, block or change the process, ask for a device, or say nothing of results.
_LEFT_OUT = frozenset(
    """
    torch.set_default_dtype torch.set_default_device torch.set_default_tensor_type torch.set_num_threads
    torch.set_num_interop_threads torch.set_printoptions torch.set_grad_enabled torch.set_flush_denormal
    torch.manual_seed torch.seed torch.set_rng_state torch.load torch.save torch.from_file torch.compile
    torch.Tensor.cuda torch.Tensor.xpu torch.Tensor.ipu torch.Tensor.hpu torch.Tensor.mtia torch.Tensor.share_memory_
    torch.Tensor.backward torch.Tensor.pin_memory torch.Tensor.module_load torch.Tensor.record_stream
    torch.Tensor.set_ torch.Tensor.numpy torch.Tensor.tolist torch.Tensor.item
    """.split()
)


def dtype_class(dtype: torch.dtype) -> str:
    """`bool`, `int`, `float` or `complex`; empty for quantized and other dtypes."""
    if dtype is torch.bool:
        return "bool"
    if dtype.is_complex:
        return "complex"
    if dtype.is_floating_point:
        return "float"
    return "int" if str(dtype).removeprefix("torch.").startswith(("int", "uint")) else ""


def argument(value: Any, sized: bool = True) -> list[Any]:
    """One argument in the form of the module's docstring, without sizes where these are not asked for."""
    if isinstance(value, torch.Tensor):
        described = ["t", dtype_class(value.dtype), value.dim(), order(value)]
        return [*described, list(value.shape)] if sized else described
    if isinstance(value, bool):
        return ["b", value]
    if isinstance(value, int):
        return ["i", value]
    if isinstance(value, float):
        return ["f"]
    if isinstance(value, str):
        return ["z", value]
    if value is None:
        return ["n"]
    if isinstance(value, torch.dtype):
        return ["d", dtype_class(value)]
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple, torch.Size):
        return ["s", [argument(item, sized) for item in value]]
    return ["?"]


def order(value: torch.Tensor) -> str:
    """How a tensor lies in memory, as the module's docstring says."""
    if value.layout is not torch.strided or value.is_contiguous():
        return ""
    slowest_first = sorted(range(value.dim()), key=lambda at: -value.stride(at))
    if not value.permute(slowest_first).is_contiguous():
        return "?"
    return "".join(str(slowest_first.index(at)) for at in range(value.dim()))


def outcome(value: Any, inputs: Sequence[torch.Tensor]) -> list[Any]:
    """One result in the form of the module's docstring."""
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.is_nested or value.is_quantized:
            return ["p", "other tensor"]
        shared = value.numel() > 0 and any(_shares(value, one) for one in inputs)
        return ["t", dtype_class(value.dtype), value.dim(), order(value), shared, list(value.shape)]
    if isinstance(value, (list, tuple)):
        fields = [name for name in dir(type(value)) if not name.startswith("_") and name not in dir(tuple)]
        fields = [name for name in fields if _argument_number(value, name) < len(value)]
        ordered = (
            sorted(fields, key=lambda name: _argument_number(value, name)) if type(value) is not torch.Size else []
        )
        return ["s", type(value).__name__, [outcome(item, inputs) for item in value], ordered]
    return ["p", type(value).__name__]


def _argument_number(value: Any, name: str) -> int:
    found = getattr(value, name)
    return next((at for at, item in enumerate(value) if item is found), len(value))


def _shares(value: torch.Tensor, one: torch.Tensor) -> bool:
    if one.layout is not torch.strided or one.numel() == 0:
        return False
    return bool(value.untyped_storage().data_ptr() == one.untyped_storage().data_ptr())


def public_functions() -> dict[str, Callable[..., Any]]:
    """Every public function and method of torch, and of NumPy those that Dynamo traces, by dotted name."""
    found: dict[str, Callable[..., Any]] = {}
    spaces = {
        "torch": torch,
        "torch.Tensor": torch.Tensor,
        "torch.nn.functional": torch.nn.functional,
        "torch.linalg": torch.linalg,
        "torch.fft": torch.fft,
        "torch.special": torch.special,
    }
    for space, module in spaces.items():
        for name in dir(module):
            value = inspect.getattr_static(module, name) if space == "torch.Tensor" else getattr(module, name)
            dotted = f"{space}.{name}"
            if space == "torch.Tensor" and not name.startswith("_") and inspect.isdatadescriptor(value):
                found[f"get:{dotted}"] = _attribute(name)
                continue
            if name.startswith("_") or isinstance(value, type) or not callable(value) or dotted in _LEFT_OUT:
                continue
            if space == "torch" and getattr(value, "__module__", None) not in (None, "torch", "torch.functional"):
                continue
            found[dotted] = getattr(module, name)
    return {**found, **dict(result_arrays.functions())}


def _attribute(name: str) -> Callable[..., Any]:
    """The reading of an attribute of tensors, as a function of the tensor alone."""

    def read(tensor: torch.Tensor) -> Any:
        return getattr(tensor, name)

    return read


class Recorder:
    """Runs calls and keeps each that did not raise, of those that differ in sizes alone only one.

    Sizes of one count, since `squeeze` takes them away, and so does the number in a tensor of no dimension.
    """

    def __init__(self) -> None:
        self.calls: dict[str, Call] = {}

    def run(self, name: str, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether the call ran. Arguments are described before the call, which may change them in place."""
        described, unsized = (_described(name, args, kwargs, sized) for sized in (True, False))
        if "out" in kwargs or ["?"] in [*described["args"], *described["kwargs"].values()]:
            return False
        given = [one for one in _flat([*args, *kwargs.values()]) if isinstance(one, torch.Tensor)]
        key = json.dumps([unsized, [_distinguishing(one) for one in given]], sort_keys=True)
        if key in self.calls:
            return True
        try:
            torch.default_generator.manual_seed(0)  # `torch.manual_seed` formats a traceback for every device
            with limited():
                value = function(*args, **kwargs)
        except Exception:  # noqa: BLE001  what a function raises on a form that is not its own is no concern of ours
            return False
        self.calls[key] = {**described, "out": outcome(value, given)}
        return True


def _described(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], sized: bool) -> Call:
    positional = [argument(one, sized) for one in args]
    return {"name": name, "args": positional, "kwargs": {k: argument(v, sized) for k, v in sorted(kwargs.items())}}


def _distinguishing(value: torch.Tensor) -> Any:
    if value.dim() == 0 and value.dtype is torch.int64:
        return int(value)
    return [at for at, size in enumerate(value.shape) if size == 1]


@contextmanager
def limited() -> Iterator[None]:
    """Raise TimeoutError in a call that does not end: some loop for ever on arguments of another form."""

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value


def _own_forms(name: str, function: Callable[..., Any], recorder: Recorder) -> None:
    result_forms.call_with_tensors(lambda args, kwargs: recorder.run(name, function, args, kwargs))
    if not name.startswith(("torch.Tensor.", "numpy.ndarray.", "get:")):
        for args, kwargs in result_forms.without_tensors():
            recorder.run(name, function, args, kwargs)


def _opinfo(recorder: Recorder, name: str, function: Callable[..., Any], op_db: Sequence[Any]) -> None:
    """The samples of every OpInfo that describes this function, or the method or in-place method of its name."""
    last = name.rpartition(".")[2]
    for info in op_db:
        called = (info.name, *(alias.name for alias in info.aliases))
        bare = [one.removeprefix("nn.functional.") for one in called]
        spelled = [f"{space}.{one}" for space in ("torch", "torch.nn.functional") for one in (*called, *bare)]
        lasts = [one.rpartition(".")[2] for one in called]
        method = info.method_variant is not None and last in lasts
        inplace = info.inplace_variant is not None and last.endswith("_") and last[:-1] in lasts
        if name not in spelled and not (name.startswith("torch.Tensor.") and (method or inplace)):
            continue
        for dtype in _DTYPES:
            if dtype not in info.dtypes:
                continue
            try:
                for sample in itertools.islice(info.sample_inputs("cpu", dtype), _SAMPLES):
                    recorder.run(name, function, (sample.input, *sample.args), sample.kwargs)
            except Exception:  # noqa: BLE001  a sample that cannot be made here says nothing of results
                continue


def record(every: int = 1) -> list[Call]:
    """Every distinct call that ran, of every Nth operation, sorted by name.

    All take some ten minutes of one core. Linux only, since it forks.
    """
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    os.environ.setdefault("PYTORCH_TESTING_DEVICE_ONLY_FOR", "cpu")
    from torch.testing._internal.common_methods_invocations import op_db  # once, before processes fork

    functions = public_functions()

    def calls_of(name: str) -> list[Call]:
        recorder = Recorder()
        _own_forms(name, functions[name], recorder)
        _opinfo(recorder, name, functions[name], op_db)
        return list(recorder.calls.values())

    found = [call for calls in forked(calls_of, sorted(functions)[::every]).values() for call in calls]
    return sorted(found, key=lambda call: json.dumps(call, sort_keys=True))
