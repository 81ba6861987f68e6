"""Which rule the results of each operation follow: `python -m compilelint.torchfacts.generate.results`.

`--check` compares with the shipped `data/results.json` and names what differs, `--install` writes it. For each name and
form of call every rule of `torchfacts.results` is tried on every recorded call; of those that are never wrong the one
that is known for most calls is kept. What no rule explains is left open, and counted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from compilelint.torchfacts import store
from compilelint.torchfacts.generate.encode import packed
from compilelint.torchfacts.result_rules import (
    DTYPES,
    LAYOUTS,
    RANKS,
    Argument,
    Arguments,
    dtype_by,
    layout_by,
    rank_by,
)
from compilelint.torchfacts.results import ResultRule, forms_of, found_in

Call = dict[str, Any]

_KINDS: Mapping[str, Any] = {
    "t": "tensor",
    "i": "int",
    "b": "bool",
    "f": "float",
    "z": "text",
    "n": "none",
    "d": "dtype",
}
_ENOUGH = 2  # different calls that a rule must have explained
_ENTRIES = 3  # calls behind each entry of a table
_MANY = 8  # calls that make up for inputs of one kind
_MOST = 0.5  # the part of the calls that a rule must say something of
_NEARLY = 0.99


def described(value: Sequence[Any]) -> Argument:
    """A recorded argument as rules read it."""
    head = value[0]
    if head == "t":
        return Argument("tensor", value[1], value[2], order=value[3])
    if head == "s":
        return Argument("sequence", items=tuple(described(item) for item in value[1]))
    if head == "d":
        return Argument("dtype", value[1])
    return Argument(_KINDS[head], value=value[1] if len(value) > 1 else None)


def arguments_of(call: Call) -> Arguments:
    """The arguments of a recorded call."""
    return Arguments(
        [described(one) for one in call["args"]], {name: described(one) for name, one in call["kwargs"].items()}
    )


Seen = Sequence[tuple[Arguments, Any]]


def rules_of(calls: Iterable[Call]) -> dict[str, ResultRule]:
    """`name` or `name|form` -> its rule.

    A name all of whose forms follow one rule has one entry, and so has a coarse form; finer ones are only kept where
    they say more.
    """
    by_name: dict[str, list[tuple[Arguments, Any]]] = {}
    for call in calls:
        arguments = arguments_of(call)
        if forms_of(arguments):
            by_name.setdefault(call["name"], []).append((arguments, call["out"]))
    found: dict[str, ResultRule] = {}
    for name, seen in by_name.items():
        whole = _rule(seen)
        if whole is not None and _says_all(whole, seen):
            found[name] = whole
            continue
        for form, of_form in _split(seen, 0).items():
            rule = _rule(of_form)
            if rule is not None:
                found[f"{name}|{form}"] = rule
            if rule is not None and _says_all(rule, of_form):
                continue
            for fine, of_fine in _split(of_form, 1).items():
                closer = _rule(of_fine)
                if closer is not None and _known(closer, of_fine) > _known(rule, of_fine):
                    found[f"{name}|{fine}"] = closer
    return found


def _split(seen: Seen, at: int) -> dict[str, list[tuple[Arguments, Any]]]:
    found: dict[str, list[tuple[Arguments, Any]]] = {}
    for call, out in seen:
        found.setdefault(forms_of(call)[at], []).append((call, out))
    return found


def _tensors(out: Any) -> list[Any]:
    return [out] if out[0] == "t" else [item for item in out[2] if item[0] == "t"] if out[0] == "s" else []


def _known(rule: ResultRule | None, seen: Seen) -> float:
    """The part of all dtype classes and ranks of these results that a rule says."""
    if rule is None:
        return -1.0
    said = total = 0
    for call, out in seen:
        for at, _ in enumerate(_tensors(out)):
            total += 2
            if rule.parts:
                dtype, rank, _ = rule.parts[min(at, len(rule.parts) - 1)]
                said += (dtype_by(dtype, call) != "") + (rank_by(rank, call) is not None)
    return said / total if total else 1.0


def _says_all(rule: ResultRule, seen: Seen) -> bool:
    return _known(rule, seen) > _NEARLY


def _rule(seen: Seen) -> ResultRule | None:
    """The rule that all these calls follow; None where they return different kinds of things."""
    if all(out[0] == "t" for _, out in seen):
        return ResultRule("one", (_part(seen),))
    if all(out[0] == "p" for _, out in seen):
        return ResultRule("python")
    if not all(out[0] == "s" and all(item[0] == "t" for item in out[2]) for _, out in seen):
        return None
    lengths = {len(out[2]) for _, out in seen}
    if len(lengths) == 1 and len({repr(call) for call, _ in seen}) >= _ENOUGH and not _may_vary(seen):
        names = {tuple(out[3]) for _, out in seen}
        parts = tuple(_part([(call, out[2][at]) for call, out in seen]) for at in range(lengths.pop()))
        return ResultRule("tuple", parts, names.pop() if len(names) == 1 else ())
    items = [(call, item) for call, out in seen for item in out[2]]
    return ResultRule("many", (_part(items),) if items else (("", "", ""),))


def _may_vary(seen: Seen) -> bool:
    """Whether the number of results may be another one for other arguments: plain sequences without names."""
    return all(out[1] in ("tuple", "list") and not out[3] for _, out in seen) and any(
        one.items is not None or one.kind == "int" or len(_split_by_rank(seen)) == 1
        for call, _ in seen
        for one in call.positional[:2]
    )


def _split_by_rank(seen: Seen) -> set[int | None]:
    return {call.positional[0].rank if call.positional else None for call, _ in seen}


def _part(seen: Seen) -> tuple[str, str, str]:
    plain = [(call, out) for call, out in seen if "dtype" not in call.keywords]
    overruled = [(call, out) for call, out in seen if call.keywords.get("dtype", Argument("none")).kind == "dtype"]
    obeys = all(dtype_by("same", call) == out[1] for call, out in overruled)
    classes = [(call, out[1]) for call, out in plain]
    ranks = [(call, out[2]) for call, out in seen]
    dtype = _best(DTYPES, dtype_by, classes, "") or _table(classes, lambda one: one.dtype) if obeys else ""
    rank = _best(RANKS, rank_by, ranks, None) or _table(ranks, lambda one: one.rank)
    return dtype, rank, _layout([(call, (out[3], out[2])) for call, out in seen])


def _best(rules: Iterable[str], by: Callable[[str, Arguments], Any], seen: Seen, unknown: Any) -> str:
    """The first of the rules that are never wrong and known for most calls; empty where there is none.

    A rule that is silent on most of the calls is none: that it is never wrong may be chance.
    """
    best, known = "", 0
    for name in rules:
        given = [(by(name, call), actual, call) for call, actual in seen]
        if any(said not in (unknown, actual) for said, actual, _ in given):
            continue
        right = [call for said, _, call in given if said != unknown]
        enough = len({repr(call) for call in right}) >= min(_ENOUGH, len(seen)) and len(right) >= len(seen) * _MOST
        if not enough or len(right) <= known or (name.startswith("=") and not _varied(name, right)):
            continue
        best, known = name, len(right)
    return best


def _varied(name: str, calls: Sequence[Arguments]) -> bool:
    """Whether a fixed answer has seen inputs that another rule would answer otherwise for.

    One kind of input is enough only where many calls have it: every other kind was tried as often, and raised.
    """
    firsts = [next((one for one in call.positional if one.kind == "tensor"), None) for call in calls]
    kinds = {None if one is None else one.dtype if name[1:].isalpha() else one.rank for one in firsts}
    return len(kinds) > 1 or kinds == {None} or len(calls) >= _MANY


def _table(seen: Seen, of: Callable[[Argument], Any]) -> str:
    """`0:0 1:0 2:2` where what the first tensor is decides alone, each entry seen several times."""
    found: dict[Any, list[Any]] = {}
    for call, actual in seen:
        first = call.positional[0] if call.positional else Argument("unknown")
        if first.kind != "tensor" or of(first) == "":
            return ""
        found.setdefault(of(first), []).append(actual)
    sure = {key: values[0] for key, values in found.items() if len(set(values)) == 1 and len(values) >= _ENTRIES}
    if not sure or "" in sure.values() or sum(len(found[key]) for key in sure) < len(seen) * _MOST:
        return ""
    return " ".join(f"{key}:{value}" for key, value in sorted(sure.items(), key=str))


def _layout(seen: Seen) -> str:
    """The first rule of layouts that is never wrong; but for the last ones it takes inputs that are not contiguous."""
    turned = [call for call, _ in seen if any(one.order for one in call.positional if one.kind == "tensor")]
    tensors = any(one.kind == "tensor" for call, _ in seen for one in call.positional)
    for name in LAYOUTS:
        orders = {one.order for call in turned for one in call.positional if one.order}
        if tensors and (len(turned) < _MANY or len(orders) < _ENOUGH) and name not in ("kept", "equation"):
            continue
        given = [(layout_by(name, call, rank), order) for call, (order, rank) in seen]
        if all(said in (None, order) for said, order in given) and any(said is not None for said, _ in given):
            return name
    return ""


# --------------------------------------------------------------------- encoding


def text_of(rule: ResultRule) -> str:
    """`one;same,reduced 1,`, `tuple values indices;same,same,same;=int,same,same`, `python`."""
    head = " ".join([rule.shape, *rule.fields])
    return ";".join([head, *(",".join(part) for part in rule.parts)])


def content_of(calls: Iterable[Call], version: str) -> dict[str, Any]:
    """The data file's content."""
    by_rule: dict[str, list[str]] = {}
    for key, rule in sorted(rules_of(calls).items()):
        by_rule.setdefault(text_of(rule), []).append(key)
    return {
        "schema": store.SCHEMA,
        "torch": version,
        "results": {text: packed(keys) for text, keys in sorted(by_rule.items())},
    }


def _dump(content: dict[str, Any]) -> str:
    lines = [
        f"{json.dumps(text)}:{json.dumps(keys, separators=(',', ':'))}" for text, keys in content["results"].items()
    ]
    head = f'{{"schema":{content["schema"]},"torch":{json.dumps(content["torch"])},"results":{{\n'
    return head + ",\n".join(lines) + "\n}}\n"


def main(words: Sequence[str] | None = None) -> int:
    """Record, find the rules, and check, install or print a summary. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the shipped data")
    parser.add_argument("--install", action="store_true", help="write the shipped data")
    parser.add_argument("--calls", type=Path, help="keep the recorded calls here, or read them if the file is there")
    given = parser.parse_args(words)
    if given.calls is not None and given.calls.exists():
        recorded = json.loads(given.calls.read_bytes())
    else:
        import torch

        from compilelint.torchfacts.generate.result_calls import record

        recorded = {"torch": torch.__version__.partition("+")[0], "calls": record()}
        if given.calls is not None:
            given.calls.write_text(json.dumps(recorded))
    content = content_of(recorded["calls"], recorded["torch"])
    path = store.DATA / "results.json"
    if given.install:
        path.write_text(_dump(content), encoding="utf-8")
    print(summary(recorded["calls"]))
    if given.check:
        shipped = path.read_text(encoding="utf-8").splitlines()
        changed = sorted(set(shipped) ^ set(_dump(content).splitlines()))
        print("\n".join(changed) or f"the shipped results agree with torch {recorded['torch']}")
        return 1 if changed else 0
    return 0


def summary(calls: Sequence[Call]) -> str:
    """How many of the recorded calls a rule says the dtype class and the rank of."""
    rules = rules_of(calls)
    total = dtypes = ranks = 0
    for call in calls:
        arguments = arguments_of(call)
        rule = found_in(rules, call["name"], arguments)
        for at, _ in enumerate(_tensors(call["out"])):
            total += 1
            if rule is None or not rule.parts:
                continue
            dtype, rank, _ = rule.parts[min(at, len(rule.parts) - 1)]
            dtypes += dtype_by(dtype, arguments) != ""
            ranks += rank_by(rank, arguments) is not None
    names = len({call["name"] for call in calls})
    return f"{len(calls)} calls of {names} names, {total} tensors: dtype known of {dtypes}, rank known of {ranks}"


if __name__ == "__main__":
    sys.exit(main())
