"""What a call of a torch operation returns: how many values, and the dtype class and rank of each tensor.

A rule says of one result how its dtype and its rank follow from the arguments (`result_rules`). Which operation follows
which rule is measured, never written by hand: `torchfacts.generate.results` finds rules among real calls and ships them
as `data/results.json`. Nothing here knows the name of an operation.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from compilelint.model.slotted import dataclass
from compilelint.torchfacts import store
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.result_rules import (
    DIMENSION,
    DTYPES,
    KEEP,
    LAYOUTS,
    RANKS,
    Arguments,
    dtype_by,
    layout_by,
    rank_by,
)


class TensorResult(NamedTuple):
    """One returned tensor: dtype class (`""` unknown), rank (None unknown) and order in memory (as an argument's)."""

    dtype: str
    rank: int | None
    order: str | None = None


@dataclass(frozen=True, slots=True)
class ResultRule:
    """What one form of a call returns.

    `shape` is `one` tensor, a `tuple` of as many as there are `parts`, `many` (a tuple of unknown length, `parts` holds
    the rule of each), or `python` (no tensor). A part is (dtype rule, rank rule, layout rule), each empty where nothing
    holds for every measured call. `fields` are the names of a named tuple.
    """

    shape: Literal["one", "tuple", "many", "python"]
    parts: tuple[tuple[str, str, str], ...] = ()
    fields: tuple[str, ...] = ()

    def results(self, call: Arguments) -> tuple[TensorResult, ...]:
        """The tensors that this call returns; one for each part."""
        found = []
        for dtype, rank, layout in self.parts:
            dimensions = rank_by(rank, call)
            found.append(TensorResult(dtype_by(dtype, call), dimensions, layout_by(layout, call, dimensions)))
        return tuple(found)


def forms_of(call: Arguments) -> tuple[str, ...]:
    """The forms of an operation that a call is one of, from coarse to fine; none where that is left open.

    A coarse form separates what mostly decides the kind of result in torch: whether there is a second argument
    (`max(x)`), whether it is a tensor (`max(x, y)`) or something else (`max(x, 0)`), and which flags are on
    (`unique(x, return_counts=True)`). A fine one, headed by `:`, names the kind of each argument behind the first.
    """
    if call.open:
        return ()
    flags = []
    for name, value in sorted(call.keywords.items()):
        if name in KEEP:
            continue
        if value.kind == "unknown" or (value.kind == "bool" and value.value is None):
            return ()
        if value.value is True:
            flags.append(name)
    rest = [one.kind for one in call.positional[1:]]
    second = next((call.keywords[name].kind for name in (*DIMENSION, "other") if name in call.keywords), None)
    if second is None and rest:
        second = rest[0]
    if second == "unknown":
        return ()
    kind = "" if second is None or second == "none" else "tensor" if second == "tensor" else "given"
    coarse = " ".join([kind, *flags]) if flags else kind
    if "unknown" in rest:
        return (coarse,)
    named = [f"{name}={value.kind}" for name, value in sorted(call.keywords.items()) if name not in (*KEEP, "dtype")]
    return coarse, ":" + " ".join([*rest, *named, *flags])


# ------------------------------------------------------------------------ data


_SHAPES: Mapping[str, Literal["one", "tuple", "many", "python"]] = {
    "one": "one",
    "tuple": "tuple",
    "many": "many",
    "python": "python",
}


def parsed(text: str) -> ResultRule:
    """The rule that the data file spells `one;same,reduced 1`. Raises KeyError or ValueError where it is none."""
    head, *parts = text.split(";")
    word, *fields = head.split()
    shape = _SHAPES[word]
    split = tuple(_part(part) for part in parts)
    return ResultRule(shape, split, tuple(fields))


def _part(text: str) -> tuple[str, str, str]:
    dtype, rank, layout = text.split(",")
    for rule, known in ((dtype, DTYPES), (rank, RANKS), (layout, LAYOUTS)):
        if rule and ":" not in rule and rule not in known:
            raise ValueError(f"{rule!r} is not a rule of results")
    return dtype, rank, layout


@functools.lru_cache(maxsize=4)
def rules(data: Path = store.DATA) -> Mapping[str, ResultRule]:
    """`name` or `name|form` -> its rule, as shipped. Raises FactsError where the file is missing or damaged."""
    content = store.read("results.json", data)
    found: dict[str, ResultRule] = {}
    try:
        for text, keys in content["results"].items():
            found.update(dict.fromkeys(store.unpacked(keys), parsed(text)))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        where = str(data / "results.json")
        raise FactsError(f"results.json is damaged: {error!r}", where, "reinstall compilelint") from error
    return found


@functools.lru_cache(maxsize=4)
def _shapes(data: Path) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for key, rule in rules(data).items():
        name = key.partition("|")[0]
        found[name] = found.get(name, frozenset()) | {rule.shape}
    return found


def shapes_of(name: str, data: Path = store.DATA) -> frozenset[str]:
    """What the measured forms of an operation return: `one`, `tuple`, `many`, `python`; empty if none was measured."""
    return _shapes(data).get(name, frozenset())


def rule_for(name: str, call: Arguments, data: Path = store.DATA) -> ResultRule | None:
    """The rule of a call of `name` (`torch.norm`, `torch.Tensor.norm`); None where none was measured for its form."""
    return found_in(rules(data), name, call)


def found_in(known: Mapping[str, ResultRule], name: str, call: Arguments) -> ResultRule | None:
    """As `rule_for`, among given rules: that of the finest form."""
    whole = known.get(name)
    if whole is not None:
        return whole
    keys = [f"{name}|{form}" for form in reversed(forms_of(call))]
    return next((known[key] for key in keys if key in known), None)
