"""What to run: targets and their inputs, from a decoded TOML table or from words of the command line.

Pure functions: nothing is imported, looked up or run. `TargetError` says what is wrong, where, and what to do.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compilelint.keys import TARGET_KEYS

DTYPES = (
    "float16 bfloat16 float32 float64 complex64 complex128 uint8 int8 int16 int32 int64 bool float half double int long"
).split()
_KEYS = {one.name: one for one in TARGET_KEYS}
MODES = _KEYS["mode"].choices
DEFAULT_TIMEOUT = float(_KEYS["timeout"].default)
_LONGEST_WORD = 100

_TENSOR = re.compile(r"(?P<shape>scalar|\d+(?:x\d+)*)(?::(?P<dtype>\w+))?(?:<(?P<high>\d+))?")
_NAME = re.compile(r"[A-Za-z_]\w*")
_REFERENCE = re.compile(r"(?:[A-Za-z_][\w.]*|[^:=]+\.py):[A-Za-z_][\w.]*")


class TargetError(Exception):
    """A target that cannot be understood: `what` is wrong, `where` it was said, and the `hint` says what to do."""

    def __init__(self, what: str, where: str, hint: str) -> None:
        super().__init__(f"{what} ({where}); {hint}")
        self.what = what
        self.where = where
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Input:
    """One argument: a random tensor of `shape` (() is 0-d), or a Python `value` where `shape` is None.

    `name` is empty for a positional argument. Integers are drawn from [0, `high`); without it the worker looks at the
    model's embeddings.
    """

    name: str = ""
    shape: tuple[int, ...] | None = None
    dtype: str = "float32"
    high: int | None = None
    value: Any = None

    def text(self) -> str:
        """The input as it would be written on the command line."""
        head = f"{self.name}=" if self.name else ""
        if self.shape is None:
            return f"{head}py:{self.value!r}"
        shape = "x".join(map(str, self.shape)) or "scalar"
        dtype = "" if self.dtype == "float32" else f":{self.dtype}"
        return f"{head}{shape}{dtype}" + ("" if self.high is None else f"<{self.high}")


@dataclass(frozen=True, slots=True)
class InputSet:
    """The arguments of one call, or the function (`pkg.mod:function`) that makes them.

    `weight` is the share of calls that are like this one, against the weights of the other sets.
    """

    inputs: tuple[Input, ...] = ()
    function: str = ""
    weight: float = 1.0

    def text(self) -> str:
        """The set as it would be written on the command line."""
        return self.function or " ".join(one.text() for one in self.inputs)


@dataclass(frozen=True, slots=True)
class Target:
    """One thing to compile and call.

    `model` is `pkg.mod:Name` (or `file.py:Name`): a module class, an instance, a factory without required arguments, or
    a function to compile as it is. `arguments` are passed to the class or factory. `dynamic_dims` maps input names (or
    positions as text; "" for every tensor) to the dimensions that vary in the second input set. `regions` names
    submodules that are compiled instead of the whole. `timeout` is in seconds, `memory` in MB.
    """

    model: str
    inputs: tuple[InputSet, ...] = ()
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    dynamic_dims: tuple[tuple[str, tuple[int, ...]], ...] = ()
    max_breaks: int = 0
    max_recompiles: int | None = None
    mode: str = "eval"
    regions: tuple[str, ...] = ()
    timeout: float = DEFAULT_TIMEOUT
    memory: int | None = None
    seeds: tuple[int, ...] = (0,)

    @property
    def label(self) -> str:
        """What reports call it."""
        return self.name or self.model


# --------------------------------------------------------------------- a table


def target_from(table: Mapping[str, Any], where: str) -> Target:
    """The target of one decoded table. Raises TargetError."""
    unknown = next((name for name in table if name not in _KEYS), None)
    if unknown is not None:
        alike = difflib.get_close_matches(unknown[:_LONGEST_WORD].lower().replace("_", "-"), _KEYS, n=1)
        hint = f"did you mean {alike[0]}?" if alike else f"use one of: {', '.join(_KEYS)}"
        raise TargetError(f"unknown key {unknown!r}", where, hint)
    model = table.get("model")
    if not isinstance(model, str):
        raise TargetError("no `model`", where, 'write model = "pkg.mod:Name"')
    where = f"{where}, {model}"
    arguments = table.get("arguments", {})
    if not isinstance(arguments, Mapping):
        raise TargetError("`arguments` is not a table", where, "write arguments = { width = 8 }")
    return Target(
        model=_reference(model, where),
        inputs=_weighted(_input_sets(table["inputs"], where) if "inputs" in table else (), table, where),
        name=_text_of(table, "name", where),
        arguments=dict(arguments),
        dynamic_dims=_dims(table.get("dynamic-dims", []), where),
        max_breaks=_count(table, "max-breaks", where) or 0,
        max_recompiles=_count(table, "max-recompiles", where),
        mode=_mode(table.get("mode", "eval"), where),
        regions=_texts_of(table.get("regions", []), "regions", where),
        timeout=float(_positive(table, "timeout", where) or DEFAULT_TIMEOUT),
        memory=None if "memory" not in table else int(_positive(table, "memory", where) or 0),
        seeds=_seeds(table.get("seeds", [0]), where),
    )


def _reference(text: str, where: str) -> str:
    """`pkg.mod:Name`, or `path/file.py:Name`."""
    head, colon, tail = text.rpartition(":")
    if colon and head and re.fullmatch(r"[A-Za-z_][\w.]*", tail) and (head.endswith(".py") or _dotted(head)):
        return text
    raise TargetError(f"{text!r} does not name an object", where, "write pkg.mod:Name or path/file.py:Name")


def target_of(word: str, where: str) -> Target:
    """The target that a word of the command line names. Raises TargetError."""
    return Target(_reference(word, where))


def _dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _text_of(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise TargetError(f"`{key}` is not a string", where, f'write {key} = "..."')
    return value


def _texts_of(value: Any, key: str, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TargetError(f"`{key}` is not a list of strings", where, f'write {key} = ["..."]')
    return tuple(value)


def _count(table: Mapping[str, Any], key: str, where: str) -> int | None:
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TargetError(f"`{key}` is {value!r}", where, f"write an integer of at least 0, as in {key} = 0")
    return value


def _positive(table: Mapping[str, Any], key: str, where: str) -> float | None:
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        unit = "seconds" if key == "timeout" else "MB"
        raise TargetError(f"`{key}` is {value!r}", where, f"write a number of {unit} above 0")
    return value


def _seeds(value: Any, where: str) -> tuple[int, ...]:
    whole = isinstance(value, list) and value and all(isinstance(one, int) and one is not True for one in value)
    if not whole:
        raise TargetError("`seeds` is not a list of integers", where, "write seeds = [0, 1]")
    return tuple(value)


def _mode(value: Any, where: str) -> str:
    if value not in MODES:
        raise TargetError(f"unknown mode {value!r}", where, "use eval or train")
    return str(value)


def _dims(value: Any, where: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    hint = "write dynamic-dims = [0], or { input_ids = [0, 1] }"
    if isinstance(value, list):
        value = {"": value} if value else {}
    if not isinstance(value, Mapping):
        raise TargetError(f"`dynamic-dims` is {value!r}", where, hint)
    found = []
    for name, dims in value.items():
        if not isinstance(dims, list) or not all(isinstance(one, int) and one is not True for one in dims):
            raise TargetError(f"`dynamic-dims` of {name or 'all inputs'} is {dims!r}", where, hint)
        found.append((str(name), tuple(dims)))
    return tuple(found)


# ---------------------------------------------------------------------- inputs


def _input_sets(value: Any, where: str) -> tuple[InputSet, ...]:
    """One set (a text, a list of texts, a table) or several (a list of lists or tables)."""
    where = f"{where}, inputs"
    if isinstance(value, str):
        return (input_set([value], where),)
    if isinstance(value, Mapping):
        return (_named_set(value, where),)
    if isinstance(value, list) and value:
        if all(isinstance(one, str) for one in value):
            return (input_set(value, where),)
        if all(isinstance(one, (list, Mapping)) for one in value):
            return tuple(_named_set(one, where) if isinstance(one, Mapping) else input_set(one, where) for one in value)
    hint = 'write inputs = ["2x3x224x224"], { input_ids = "2x128:int64" } or "pkg.mod:function"'
    raise TargetError(f"{value!r} are not inputs", where, hint)


def _weighted(sets: tuple[InputSet, ...], table: Mapping[str, Any], where: str) -> tuple[InputSet, ...]:
    """The sets with the weights of the table, one each."""
    weights = table.get("weights")
    if weights is None:
        return sets
    numbers = isinstance(weights, list) and all(isinstance(one, (int, float)) and one is not True for one in weights)
    if not numbers or len(weights) != len(sets) or any(one <= 0 for one in weights):
        hint = "write a number above 0 for each input set, as in weights = [8, 1]"
        raise TargetError(f"`weights` is {weights!r} for {len(sets)} input sets", where, hint)
    return tuple(replace(one, weight=float(weight)) for one, weight in zip(sets, weights, strict=True))


def _named_set(table: Mapping[str, Any], where: str) -> InputSet:
    return InputSet(
        tuple(
            parse_input(f"{name}={value}", where) if isinstance(value, str) else Input(name=name, value=value)
            for name, value in table.items()
        )
    )


def input_set(words: Sequence[Any], where: str) -> InputSet:
    """The arguments of one call from texts such as `2x3x224x224` and `mask=2x128:bool`. Raises TargetError."""
    if len(words) == 1 and isinstance(words[0], str) and _REFERENCE.fullmatch(words[0]) and not _is_tensor(words[0]):
        return InputSet(function=words[0])
    found = tuple(parse_input(one, where) if isinstance(one, str) else Input(value=one) for one in words)
    seen_name = False
    for one in found:
        if seen_name and not one.name:
            raise TargetError(f"{one.text()!r} comes after a named input", where, "put inputs without a name first")
        seen_name = seen_name or bool(one.name)
    return InputSet(found)


def _is_tensor(text: str) -> bool:
    return _TENSOR.fullmatch(text) is not None


def parse_input(text: str, where: str) -> Input:
    """`[NAME=]SHAPE[:DTYPE][<HIGH]` or `[NAME=]py:LITERAL`, with SHAPE as `2x128` or `scalar`. Raises TargetError."""
    name, equals, rest = text.partition("=")
    if not equals or not _NAME.fullmatch(name):
        name, rest = "", text
    if rest.startswith("py:"):
        try:
            return Input(name=name, value=ast.literal_eval(rest.removeprefix("py:")))
        except (ValueError, SyntaxError, TypeError) as error:
            raise TargetError(f"{text!r} is not a Python literal", where, "write py:True, py:3 or py:'text'") from error
    match = _TENSOR.fullmatch(rest)
    if match is None:
        hint = (
            "write SHAPE or SHAPE:DTYPE, as in 2x3x224x224 or ids=2x128:int64, py:LITERAL, or, for all inputs at once, "
            "the function that makes them: pkg.mod:function or path/file.py:function"
        )
        raise TargetError(f"{text!r} is not an input", where, hint)
    dtype = match["dtype"] or "float32"
    if dtype not in DTYPES:
        raise TargetError(f"unknown dtype {dtype!r} in {text!r}", where, f"use one of {', '.join(DTYPES)}")
    shape = () if match["shape"] == "scalar" else tuple(map(int, match["shape"].split("x")))
    return Input(name, shape, dtype, int(match["high"]) if match["high"] else None)


def varied(inputs: InputSet, dims: Iterable[tuple[str, tuple[int, ...]]]) -> InputSet:
    """The second input set: sizes of the named dimensions grow, equal sizes alike, so that batches keep matching.

    A size that is a multiple of 32 grows by 32, since such sizes are often cut into patches; any other by one.
    """
    wanted = dict(dims)
    changed = []
    for position, one in enumerate(inputs.inputs):
        chosen = wanted.get(one.name or str(position), wanted.get(str(position), wanted.get("", ())))
        if one.shape is None or not chosen:
            changed.append(one)
            continue
        rank = len(one.shape)
        places = {dim % rank for dim in chosen if -rank <= dim < rank}
        shape = tuple(_grown(size) if place in places else size for place, size in enumerate(one.shape))
        changed.append(Input(one.name, shape, one.dtype, one.high, one.value))
    return InputSet(tuple(changed), inputs.function, inputs.weight)


def _grown(size: int) -> int:
    return size + (32 if size and size % 32 == 0 else 1)
