"""Probes for public names that nothing else covers: argument lists are tried until one runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import torch

from compilelint.model.patterns import late_pattern
from compilelint.torchfacts.generate.inputs import INPUTS, inputs_in
from compilelint.torchfacts.generate.measure import Begins, first_that_runs
from compilelint.torchfacts.generate.probes import Module, Probe

_SECONDS = 5
# Calling these would change the process or wait for something.
_NOT_TRIED = late_pattern(
    r"set_|_del|manual|seed|fork|^torch\.(compile|load|save|import_|init_|unify|wait|merge|parse|cpp|get_file|read_|vitals|clear|start|stop)"
)
_FUNCTION_ARGUMENTS = (
    "x",
    "x, y",
    "x, y, y",
    "v",
    "v, v",
    "sq",
    "sq, sq",
    "i",
    "l",
    "b",
    "c",
    "x, 0",
    "x, 1",
    "x, 0, 1",
    "x, 0, l",
    "x, 2.",
    "l, sq",
    "i, sq",
    "3",
    "(2, 3)",
    "",
    "[x, y]",
    "x, b",
    "x, (0, 1)",
    "x, i",
    "x, 0, i, y",
    "x, 1, l, y",
    "seq",
    "img",
    "vol",
    "img, 2",
    "seq, 2",
    "vol, 2",
    "img, (1, 1)",
    "v, 0.5",
    "x, [1, 1]",
    "img, img",
    "5, 1.",
    "x, v, v",
    "v, v, v",
    "x, x, y, y",
    "x, l",
)
_METHOD_ARGUMENTS = (
    "",
    "y",
    "1",
    "0",
    "0, 1",
    "2.",
    "(0, 1)",
    "b",
    "l",
    "i",
    "0, l",
    "1, l",
    "1, l, y",
    "0, i",
    "0, i, y",
    "b, y",
    "b, 0.",
    "[1, 1]",
    "v",
    "x, y",
    "1, 2",
    "(2, 3)",
    "2, 3",
    "-1",
    "0, 0",
    "0, 1, 0",
    "sq",
    "v, v",
    "0, 2",
    "1, l, 0.",
    "torch.float32",
)
_RECEIVERS = ("x", "sq", "v", "i", "b", "l", "c", "img", "seq", "vol")
_CONSTRUCTORS = ("", "3", "1", "2", "0.5", "3, 3", "3, 3, 1", "3, 3, 3", "1, 3", "(2, 2)")
_LAYER_CALLS = ("m(x)", "m(x, y)", "m(img)", "m(x, l[:2])", "m(i)", "m(x, y, y)", "m(v, v, v)")
_FUNCTION_SPACES = (
    ("torch", torch),
    ("torch.nn.functional", torch.nn.functional),
    ("torch.linalg", torch.linalg),
    ("torch.fft", torch.fft),
    ("torch.special", torch.special),
)


def _probe(key: str, body: str, outside: str = "") -> Probe:
    parameters = inputs_in(body)
    return Probe(key, body, parameters, lambda: [INPUTS[name]() for name in parameters], outside)


def _method_calls(name: str) -> Iterator[Probe]:
    for receiver in _RECEIVERS:
        for arguments in _METHOD_ARGUMENTS:
            copied = ".clone()" if name.endswith("_") else ""
            yield _probe(f"torch.Tensor.{name}", f"return {receiver}{copied}.{name}({arguments})")


def _layer_calls(name: str) -> Iterator[Probe]:
    sized = [call for dimension, call in (("1d", "m(seq)"), ("2d", "m(img)"), ("3d", "m(vol)")) if dimension in name]
    for arguments in _CONSTRUCTORS:
        for call in sized or _LAYER_CALLS:
            yield _probe(f"layer:torch.nn.{name}", f"return {call}", f"m = nn.{name}({arguments})")


def synthesized_probes(module: Module, covered: Collection[str], begins: Begins) -> Iterator[Probe]:
    """Attributes, methods, functions and module classes outside `covered`, for which some argument list runs."""
    for name in sorted(dir(torch.Tensor)):
        key = f"torch.Tensor.{name}"
        if name.startswith("_") or key in covered:
            continue
        if not callable(getattr(torch.Tensor, name, None)):
            yield _probe(key, f"return {'c' if name == 'imag' else 'x'}.{name}")
        elif (probe := first_that_runs(module, _method_calls(name), _SECONDS, begins)) is not None:
            yield probe
    for prefix, space in _FUNCTION_SPACES:
        for name in sorted(dir(space)):
            key, thing = f"{prefix}.{name}", getattr(space, name, None)
            if (
                name.startswith("_")
                or key in covered
                or not callable(thing)
                or isinstance(thing, type)
                or _NOT_TRIED.search(key)
            ):
                continue
            if (getattr(thing, "__module__", None) or "torch").partition(".")[0] not in (
                "torch",
                "builtins",
                "_VariableFunctions",
            ):
                continue
            calls = (_probe(key, f"return {key}({arguments})") for arguments in _FUNCTION_ARGUMENTS)
            if (probe := first_that_runs(module, calls, _SECONDS, begins)) is not None:
                yield probe
    for name in sorted(dir(torch.nn)):
        thing = getattr(torch.nn, name)
        if f"layer:torch.nn.{name}" in covered or not (isinstance(thing, type) and issubclass(thing, torch.nn.Module)):
            continue
        if (probe := first_that_runs(module, _layer_calls(name), _SECONDS, begins)) is not None:
            yield probe
