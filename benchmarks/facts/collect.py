"""Turns the recorded snippets into `snippets.jsonl.gz`: one line a snippet, with what its names are.

Usage: python benchmarks/facts/collect.py RECORDED_FOLDER [--out FILE]
The recordings hold the executed line but neither the dtypes and ranks of its inputs nor the constructor of a module
under test; both are made again here from torch's own sample inputs, in the order in which the recorder took them. So
this needs the torch that was recorded first (2.13.0); reading the result needs no torch.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gzip
import io
import itertools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.testing._internal.common_methods_invocations as samples
from torch import nn
from torch.testing._internal.common_modules import module_db
from torch.utils._pytree import tree_leaves

VERSIONS = ("2.13.0", "2.15.0")
RECORDED = ("ops", "tensor", "std", "extra")
BREAKS = {"ok": "ok", "full_only": "ok", "break": "break", "skip": "break", "error": "break"}
_DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float64)
_INPUTS = {
    "x": "float2",
    "y": "float2",
    "w": "float2",
    "wt": "float2",
    "sq": "float2",
    "b": "bool2",
    "c": "complex2",
    "i": "int2",
    "l": "int1",
    "v": "float1",
    "s": "float0",
    "img": "float4",
    "seq": "float3",
    "vol": "float5",
}
_OUTSIDE_EXTRA = ["LSTM = nn.LSTM(8, 4)", "GRU = nn.GRU(8, 4)", "GEN = torch.Generator()"]


def kind_of(tensor: torch.Tensor) -> str:
    """A dtype class and a rank in one word, such as `float2`; `object` for what is no plain tensor."""
    if type(tensor) is not torch.Tensor or tensor.layout != torch.strided:
        return "object"
    dtype = "bool" if tensor.dtype is torch.bool else "complex" if tensor.is_complex() else ""
    return f"{dtype or ('float' if tensor.is_floating_point() else 'int')}{tensor.dim()}"


def _word(value: object) -> str:
    if isinstance(value, nn.Parameter):
        return "P"
    if isinstance(value, torch.Tensor):
        return "T"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float, complex, str)):
        return type(value).__name__
    if value is None:
        return "None"
    if isinstance(value, (list, tuple)):
        return "[" + (_word(value[0]) if len(value) else "") + "]"
    return type(value).__name__


def _distinct(tensors: Iterator[Any]) -> list[str]:
    """Kinds of the tensors in the order in which they are first seen: the recorder's `t0`, `t1`, ..."""
    seen: list[torch.Tensor] = []
    for value in tensors:
        if isinstance(value, torch.Tensor) and not any(value is other for other in seen):
            seen.append(value)
    return [kind_of(tensor) for tensor in seen]


def operator_kinds() -> dict[str, list[list[str]]]:
    """Kinds of `t0`, `t1`, ... by recorded key prefix (`op:NAME:VARIANT`), one list a sample."""
    found: dict[str, list[list[str]]] = {}
    for operator in samples.op_db:
        supported = operator.supported_dtypes("cpu")
        if not supported:
            continue
        dtype = next((one for one in _DTYPES if one in supported), next(iter(supported)))
        best: dict[Any, tuple[float, Any]] = {}
        torch.manual_seed(0)
        try:
            for sample in itertools.islice(operator.sample_inputs("cpu", dtype, requires_grad=False), 201):
                words = tuple(sorted((name, _word(value)) for name, value in sample.kwargs.items()))
                shape = (_word(sample.input), tuple(map(_word, sample.args)), words)
                leaves = list(tree_leaves((sample.input, sample.args, sample.kwargs)))
                tensors = [one for one in leaves if isinstance(one, torch.Tensor)]
                good = float(sum(1 for one in tensors if one.dim() >= 1 and one.numel() > 0))
                first = sample.input
                if isinstance(first, torch.Tensor) and all(
                    one.dim() <= first.dim() and one.numel() <= first.numel() for one in tensors
                ):
                    good += 0.5
                if shape not in best or good > best[shape][0]:
                    best[shape] = (good, sample)
        except (RuntimeError, ValueError, ImportError, AssertionError, NotImplementedError):
            continue
        key = f"op:{operator.name}:{operator.variant_test_name or ''}"
        found[key] = [_distinct(iter(tree_leaves((s.input, s.args, s.kwargs)))) for _, s in best.values()]
    return found


def layer_sources() -> dict[str, tuple[str, list[str]]]:
    """Constructor and kinds of the arguments by the recorder's text for a module form."""
    found: dict[str, tuple[str, list[str]]] = {}
    for info in module_db:
        known = getattr(nn, info.module_cls.__name__, None) is info.module_cls
        module = "torch.nn" if known else info.module_cls.__module__
        name = info.module_cls.__name__
        for training in (True, False):
            try:
                inputs = info.module_inputs_func(
                    info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
                )
            except (RuntimeError, ImportError):
                continue
            for one in inputs:
                if one.forward_input is None:
                    continue
                made, called = one.constructor_input, one.forward_input
                short = [str(value)[:20] for value in made.args] + [
                    f"{key}={str(value)[:20]}" for key, value in made.kwargs.items()
                ]
                head = f"{name}({', '.join(short)}).{'train' if training else 'eval'}()("[:200]
                whole = [_literal(value) for value in made.args] + [
                    f"{key}={_literal(value)}" for key, value in made.kwargs.items()
                ]
                kinds = _distinct(iter(tree_leaves((called.args, called.kwargs))))
                found.setdefault(head, (f"m = {module}.{name}({', '.join(whole)}).train({training})", kinds))
    return found


def _literal(value: object) -> str:
    if isinstance(value, torch.Tensor):
        return f"torch.ones({tuple(value.shape)})"
    if isinstance(value, (torch.dtype, torch.device)):
        return f"torch.device({str(value)!r})" if isinstance(value, torch.device) else str(value)
    if callable(value):
        name = getattr(value, "__name__", "")
        return f"torch.nn.functional.{name}" if hasattr(nn.functional, name) else "(lambda *given: given[0])"
    return repr(value)


def _named_layers(probe: Path) -> dict[str, tuple[str, str]]:
    """Constructor and call of the modules that the recorder made by hand."""
    for node in ast.parse(probe.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "NN":
            return dict(ast.literal_eval(node.value))
    raise SystemExit(f"{probe} has no table of modules")


def _synthesized_layer(name: str, call: str) -> str:
    """The first constructor of the recorder's list that makes a module for which `call` runs."""
    made = {
        "x": torch.ones(2, 3),
        "y": torch.ones(2, 3),
        "img": torch.rand(1, 3, 8, 8),
        "seq": torch.rand(1, 3, 8),
        "vol": torch.rand(1, 3, 4, 4, 4),
        "l": torch.tensor([0, 1, 1]),
        "i": torch.tensor([[0, 1, 0], [1, 0, 1]]),
        "v": torch.ones(3),
    }
    for arguments in ("", "3", "1", "2", "0.5", "3, 3", "3, 3, 1", "3, 3, 3", "1, 3", "(2, 2)"):
        constructor = f"nn.{name}({arguments})"
        with (
            contextlib.suppress(TypeError, RuntimeError, ValueError, AttributeError, IndexError, NotImplementedError),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            eval(call, {**made, "m": eval(constructor, {"nn": nn}), "torch": torch})
            return f"m = {constructor}"
    return ""


def _lines(group: str, source: str) -> list[str]:
    if group == "std":
        lines = source.split(" /     ")
    elif group == "extra":
        lines = source.replace(";; ", "; ").split("; ")
        lines = lines if "return" in source else [f"return {source}"]
    else:
        lines = source.split("; ")
    if group == "std":
        lines = ["x = x + 1", *lines, "return x * 2"]
    return lines


def _inputs_in(source: str) -> dict[str, str]:
    found = {name: kind for name, kind in _INPUTS.items() if re.search(rf"(?<![\w.'\"]){name}(?![\w=('\"])", source)}
    return found or {"x": "float2"}


class Sources:
    """Parameters and outside lines of a recorded snippet."""

    def __init__(self, recorded: Path) -> None:
        self._operators = operator_kinds()
        self._layers = layer_sources()
        self._by_hand = _named_layers(recorded / "probe" / "probe_tensor.py")
        self._made: dict[str, str] = {}

    def of(self, group: str, row: dict[str, Any], form: dict[str, Any]) -> tuple[dict[str, str], list[str], list[str]]:
        """Parameters with their kinds, lines outside of the function, lines of the function."""
        source, key = form["src"], row["key"]
        lines = _lines(group, source)
        if group == "std":
            return {"x": "float2"}, [], lines
        if group == "extra":
            outside = [line for line in _OUTSIDE_EXTRA if re.search(rf"\b{line.split()[0]}\b", source)]
            return _inputs_in(source), outside, lines
        if group == "tensor":
            outside = [self._outside(row["name"], lines[0])] if row["key"].startswith("nn:") else []
            return _inputs_in(source), [line for line in outside if line], lines
        names = sorted(set(re.findall(r"\bt\d+\b", source)), key=lambda name: int(name[1:]))
        if key.startswith("mod:"):
            constructor, kinds = self._layer(source)
            call = source.rpartition(".train()(" if ".train()(" in source else ".eval()(")[2]
            # The recorder kept 200 characters: what is left of a longer call are its first arguments.
            call = call if call.count("(") + 1 == call.count(")") else call.rpartition(",")[0] + ")"
            return self._kinds(names, kinds), [constructor] if constructor else [], [f"return m({call}"]
        prefix = key.partition("|")[0]
        fitting = [kinds for kinds in self._operators.get(prefix, []) if len(kinds) == len(names)]
        return self._kinds(names, fitting[0] if fitting else []), [], lines

    @staticmethod
    def _kinds(names: list[str], kinds: list[str]) -> dict[str, str]:
        return {name: kinds[int(name[1:])] if int(name[1:]) < len(kinds) else "" for name in names}

    def _layer(self, source: str) -> tuple[str, list[str]]:
        return next(
            ((made, kinds) for head, (made, kinds) in self._layers.items() if source.startswith(head)), ("", [])
        )

    def _outside(self, name: str, line: str) -> str:
        short = name.removeprefix("torch.nn.")
        if short in self._by_hand:
            return f"m = {self._by_hand[short][0]}"
        call = line.removeprefix("return ")
        if short not in self._made:
            self._made[short] = _synthesized_layer(short, call)
        return self._made[short]


def _recorded(folder: Path, group: str, version: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    path = folder / "snippets" / f"{group}-{version}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield from ((row, form) for form in row["forms"] if form["r"] in BREAKS)


def collect(recorded: Path) -> list[dict[str, Any]]:
    """All snippets, each with its verdict (`ok` or `break`) by version."""
    sources = Sources(recorded)
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for group, version in itertools.product(RECORDED, VERSIONS):
        for row, form in _recorded(recorded, group, version):
            key = (row["key"], form["src"])
            if key not in found:
                parameters, outside, lines = sources.of(group, row, form)
                found[key] = {
                    "key": row["key"],
                    "parameters": parameters,
                    "outside": outside,
                    "lines": lines,
                    "verdicts": {},
                }
            found[key]["verdicts"][version] = BREAKS[form["r"]]
    return list(found.values())


def main() -> int:
    """Answers the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("snippets.jsonl.gz"))
    options = parser.parse_args()
    lines = [json.dumps(one, separators=(",", ":")) for one in collect(options.recorded)]
    text = "\n".join(lines) + "\n"
    options.out.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(lines)} snippets, {options.out.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
