"""Which rule the results of each operation follow: `python -m compilelint.torchfacts.generate.results`.

`--check` compares with the shipped `data/results-<version>.json` and names what differs, `--install` writes it, and
`--check --every 100` measures every hundredth operation and compares the entries of these. For each name and form of
call every rule of `torchfacts.results` is tried on every recorded call; of those that are never wrong the one that is
known for most calls is kept. What no rule explains is left open, and counted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from compilelint.model.sizes import Sizes, constant
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
    tensors_of,
)
from compilelint.torchfacts.result_tables import MAKERS, Results, file_of, measured_versions, results_of
from compilelint.torchfacts.results import ALL, OPEN, Part, ResultRule, forms_of, found_in
from compilelint.torchfacts.size_rules import SIZES, sizes_by

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
_PLAIN = frozenset({"bool", "int", "float", "str"})
_ENOUGH = 2  # different calls that a rule must have explained
_ENTRIES = 3  # calls behind each entry of a table
_ORDERS = 4  # ways to lie in memory that make up for few calls
_MANY = 8  # calls that make up for inputs of one kind
_MOST = 0.5  # the part of the calls that a rule must say something of
_NEARLY = 0.99


def described(value: Sequence[Any]) -> Argument:
    """A recorded argument as rules read it."""
    head = value[0]
    if head == "t":
        return Argument("tensor", value[1], value[2], order=value[3], sizes=_sizes(value[4]))
    if head == "s":
        return Argument("sequence", items=tuple(described(item) for item in value[1]))
    if head == "d":
        return Argument("dtype", value[1])
    return Argument(_KINDS[head], value=value[1] if len(value) > 1 else None)


def _sizes(recorded: Sequence[int]) -> Sizes | None:
    """Sizes as rules read them; None where one is 0, of which rules say nothing."""
    found = tuple(map(constant, recorded))
    return None if None in found else found


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
        length = _length(seen)
        whole = _rule(seen, length)
        if whole is not None and _says_all(whole, seen):
            found[name] = whole
            continue
        for form, of_form in _split(seen, 0).items():
            rule = _rule(of_form, length, " " in form)
            if rule is not None:
                found[f"{name}|{form}"] = rule
            if (rule is not None and _says_all(rule, of_form)) or name.startswith("numpy."):
                continue  # of NumPy the coarse forms only: it has many operations, and models call few
            for fine, of_fine in _split(of_form, 1).items():
                closer = _rule(of_fine, length, " " in form)
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
        results = rule.results(call) or ()
        for at, _ in enumerate(_tensors(out)):
            total += 2
            if results:
                one = results[min(at, len(results) - 1)]
                said += (one.dtype != "") + (one.rank is not None)
    return said / total if total else 1.0


def _says_all(rule: ResultRule, seen: Seen) -> bool:
    return _known(rule, seen) > _NEARLY


def _rule(seen: Seen, length: int | None = None, flagged: bool = False) -> ResultRule | None:
    """The rule that all these calls follow; None where they return different kinds of things.

    `length` is how many results each call of the operation has that returns several; `flagged` says that all these
    calls have the same flags on, which mostly decide the number.
    """
    if all(out[0] == "t" for _, out in seen):
        return ResultRule("one", (_part(seen),))
    if all(out[0] == "p" for _, out in seen):
        kinds = {out[1] for _, out in seen}
        return ResultRule("python", fields=(kinds.pop(),) if len(kinds) == 1 and kinds <= _PLAIN else ())
    if not all(out[0] == "s" and all(item[0] == "t" for item in out[2]) for _, out in seen):
        return None
    lengths = {len(out[2]) for _, out in seen}
    several = len({_kind_of(call) for call, _ in seen}) >= _ENOUGH and len(lengths) == 1
    if several and (lengths == {length} or not _may_vary(seen, flagged)):
        names = {tuple(out[3]) for _, out in seen}
        parts = tuple(_part([(call, out[2][at]) for call, out in seen]) for at in range(lengths.pop()))
        return ResultRule("tuple", parts, names.pop() if len(names) == 1 else ())
    if len(lengths) > 1 and all(len(tensors_of(call)) == len(out[2]) for call, out in seen):
        return ResultRule("each", (_part_of_each(seen),))
    items = [(call, item) for call, out in seen for item in out[2]]
    return ResultRule("many", (_part(items),) if items else (OPEN,))


def _part_of_each(seen: Seen) -> Part:
    """Each result by the tensor at its place, or, if that does not say the rank, by all arguments."""
    own = [
        (Arguments([one], {}), item) for call, out in seen for one, item in zip(tensors_of(call), out[2], strict=True)
    ]
    dtype, rank, layout, size = _part(own)
    if not rank:
        by_all = [(call, item[2]) for call, out in seen for item in out[2]]
        found = _best(RANKS, rank_by, by_all, None)
        rank = f"{ALL}{found}" if found else ""
    return dtype, rank, layout, size


def _length(seen: Seen) -> int | None:
    """How many results an operation returns where it returns several; None where that varies or is seldom seen."""
    several = [(call, out) for call, out in seen if out[0] == "s"]
    lengths = {len(out[2]) for _, out in several}
    varied = len({_kind_of(call) for call, _ in several}) >= _MANY and len(_split_by_rank(several)) > 1
    return lengths.pop() if len(lengths) == 1 and varied else None


def _may_vary(seen: Seen, flagged: bool) -> bool:
    """Whether the number of results may be another one for other arguments: plain sequences without names."""
    if flagged and len({_kind_of(call) for call, _ in seen}) >= _MANY and len(_split_by_rank(seen)) > 1:
        return False
    return all(out[1] in ("tuple", "list") and not out[3] for _, out in seen) and any(
        one.items is not None or one.kind == "int" or len(_split_by_rank(seen)) == 1
        for call, _ in seen
        for one in call.positional[:2]
    )


def _kind_of(call: Arguments) -> str:
    """A call without its sizes: of one kind are calls that differ in sizes alone."""
    bare = [_unsized(one) for one in call.positional]
    return repr((bare, {name: _unsized(one) for name, one in call.keywords.items()}))


def _unsized(one: Argument) -> Argument:
    return one._replace(sizes=None, items=None if one.items is None else tuple(map(_unsized, one.items)))


def _split_by_rank(seen: Seen) -> set[int | None]:
    return {call.positional[0].rank if call.positional else None for call, _ in seen}


def _part(seen: Seen) -> Part:
    plain = [(call, out) for call, out in seen if "dtype" not in call.keywords]
    overruled = [(call, out) for call, out in seen if call.keywords.get("dtype", Argument("none")).kind == "dtype"]
    obeys = all(dtype_by("same", call) == out[1] for call, out in overruled)
    classes = [(call, out[1]) for call, out in plain]
    ranks = [(call, out[2]) for call, out in seen]
    dtype = _best(DTYPES, dtype_by, classes, "") or _table(classes, lambda one: one.dtype) if obeys else ""
    rank = _best(RANKS, rank_by, ranks, None) or _table(ranks, lambda one: one.rank)
    return dtype, rank, _layout([(call, (out[3], out[2])) for call, out in seen]), _size(seen)


def _size(seen: Seen) -> str:
    """The rule of sizes that is never wrong, and says most of them.

    Of results of one number of dimensions only it may be chance, but for rules that are about such results.
    """
    sized = [(call, _sizes(out[-1])) for call, out in seen if all(out[-1])]
    sized = [(call, sizes) for call, sizes in sized if all(one.sizes is not None for one in tensors_of(call))]
    alike = len({len(sizes) for _, sizes in sized if sizes}) < _ENOUGH
    best, known = "", 0
    for name in SIZES:
        if alike and name not in _OF_ONE_RANK:
            continue
        given = [(call, sizes_by(name, call, None), actual) for call, actual in sized]
        if any(said is not None and not _holds(said, actual) for _, said, actual in given):
            continue
        right = [call for call, said, _ in given if said is not None]
        says = sum(size is not None for _, said, _ in given for size in said or ())
        if says > known and len(right) >= len(sized) * _MOST and len(set(map(_kind_of, right))) >= _ENOUGH:
            best, known = name, says
    return best


_OF_ONE_RANK = frozenset({"product", "attended", "linear", "equation", "viewed"})


def _holds(said: Sizes, actual: Sizes | None) -> bool:
    """Whether sizes are right, as far as they are known."""
    if actual is None or len(said) != len(actual):
        return False
    return all(one in (None, other) for one, other in zip(said, actual, strict=True))


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
        if len(right) <= known or len(right) < len(seen) * _MOST:
            continue
        enough = len(set(map(_kind_of, right))) >= min(_ENOUGH, len(seen))
        if not enough or (name.startswith("=") and not _varied(name, right)):
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
        first = next(iter(tensors_of(call)), None)
        if first is None or of(first) == "":
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
        enough = len(orders) >= _ORDERS or (len(turned) >= _MANY and len(orders) >= _ENOUGH)
        if tensors and not enough and name not in ("kept", "equation"):
            continue
        given = [(layout_by(name, call, rank), order) for call, (order, rank) in seen]
        if all(said in (None, order) for said, order in given) and any(said is not None for said, _ in given):
            return name
    return ""


# --------------------------------------------------------------------- encoding


def text_of(rule: ResultRule) -> str:
    """`one;same,reduced 1,`, `tuple values indices;same,same,same;=int,same,same`, `python`."""
    head = " ".join([rule.shape, *rule.fields])
    return ";".join([head, *(",".join(part if part[-1] else part[:-1]) for part in rule.parts)])


def measured(recorded: Mapping[str, Any]) -> Results:
    """The rules that the recorded calls follow, as the results of a version."""
    texts = {key: text_of(rule) for key, rule in sorted(rules_of(recorded["calls"]).items())}
    names = {key: frozenset(value) for key, value in recorded["members"].items()}
    return Results(recorded["torch"], texts, {**names, MAKERS: frozenset(made_of_nothing(recorded["calls"]))})


def install(found: Results, data: Path = store.DATA) -> None:
    """Write the files of all measured versions, this one among them: the newest whole, the others as differences."""
    shipped = measured_versions(data) if any(data.glob(file_of("*"))) else ()
    tables = {one: results_of(one, data) for one in shipped} | {found.version: found}
    newer: Results | None = None
    for version in sorted(tables, key=store.key_of, reverse=True):
        (data / file_of(version)).write_text(dumped(tables[version], newer), encoding="utf-8")
        newer = tables[version]


def made_of_nothing(calls: Iterable[Call]) -> list[str]:
    """The operations that make tensors and take none, but for numbers that are tensors of no dimension."""
    takes: dict[str, bool] = {}
    for call in calls:
        given = any(one.rank for one in tensors_of(arguments_of(call)))
        if call["out"][0] == "t" or given:
            takes[call["name"]] = takes.get(call["name"], False) or given
    return sorted(name for name, tensors in takes.items() if not tensors)


def dumped(table: Results, base: Results | None) -> str:
    """A version's file; with a `base`, which is newer, what differs from it."""
    texts = table.texts if base is None else {k: v for k, v in table.texts.items() if base.texts.get(k) != v}
    by_rule: dict[str, list[str]] = {}
    for key, text in sorted(texts.items()):
        by_rule.setdefault(text, []).append(key)
    head: dict[str, Any] = {"schema": store.SCHEMA, "torch": table.version}
    if base is not None:
        head["base"] = base.version
        head["gone"] = packed(sorted(base.texts.keys() - table.texts.keys()))
    before = {} if base is None else base.names_of
    head["names"] = {
        key: packed(sorted(names)) for key, names in sorted(table.names_of.items()) if before.get(key) != names
    }
    lines = [f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}" for key, value in head.items()]
    rules = [
        f"{json.dumps(text)}:{json.dumps(packed(keys), separators=(',', ':'))}"
        for text, keys in sorted(by_rule.items())
    ]
    return "{" + ",\n".join([*lines, '"results":{\n' + ",\n".join(rules) + "\n}"]) + "}\n"


def main(words: Sequence[str] | None = None) -> int:
    """Record, find the rules, and check, install or print a summary. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the shipped data")
    parser.add_argument("--install", action="store_true", help="write the shipped data")
    parser.add_argument("--every", type=int, default=1, help="only every Nth operation; not with --install")
    parser.add_argument("--calls", type=Path, help="keep the recorded calls here, or read them if the file is there")
    given = parser.parse_args(words)
    if given.install and given.every != 1:
        parser.error("--install writes the results of all operations: leave out --every")
    if given.calls is not None and given.calls.exists():
        recorded = json.loads(given.calls.read_bytes())
    else:
        import torch

        from compilelint.torchfacts.generate.result_calls import record
        from compilelint.torchfacts.generate.result_members import members

        version = torch.__version__.partition("+")[0]
        kept = {key: sorted(names) for key, names in members().items()}
        recorded = {"torch": version, "members": kept, "calls": record(given.every)}
        if given.calls is not None:
            given.calls.write_text(json.dumps(recorded))
    found = measured(recorded)
    if given.install:
        install(found)
    print(summary(recorded["calls"]))
    if given.check:
        shipped = results_of(found.version)
        changed = differences(found, shipped if given.every == 1 else _part_of(shipped, recorded["calls"], found))
        print("\n".join(changed) or f"the shipped results agree with torch {found.version}")
        return 1 if changed else 0
    return 0


def _part_of(shipped: Results, calls: Iterable[Call], found: Results) -> Results:
    """The shipped entries of the operations that were called; what is no entry of one is as it was found."""
    names = {call["name"] for call in calls}
    texts = {key: text for key, text in shipped.texts.items() if key.partition("|")[0] in names}
    return Results(shipped.version, texts, found.names_of)


def differences(found: Results, shipped: Results) -> list[str]:
    """One line for each entry that the shipped table has otherwise, and one where it is of another version."""
    lines = []
    if shipped.version != found.version:
        lines.append(f"no results of torch {found.version} are shipped, only of {shipped.version}")
    for key in sorted(found.texts.keys() | shipped.texts.keys()):
        was, now = shipped.texts.get(key, "nothing"), found.texts.get(key, "nothing")
        if was != now:
            lines.append(f"{key}: shipped {was}, measured {now}")
    for key in sorted(found.names_of.keys() | shipped.names_of.keys()):
        have, had = found.names_of.get(key, frozenset()), shipped.names_of.get(key, frozenset())
        lines += [f"{key}: {name} is {'measured' if name in have else 'shipped'} only" for name in sorted(have ^ had)]
    return lines


def summary(calls: Sequence[Call]) -> str:
    """How many of the recorded calls a rule says the dtype class and the rank of."""
    rules = rules_of(calls)
    total = dtypes = ranks = 0
    for call in calls:
        arguments = arguments_of(call)
        rule = found_in(rules, call["name"], arguments)
        results = () if rule is None else rule.results(arguments) or ()
        for at, _ in enumerate(_tensors(call["out"])):
            total += 1
            if results:
                one = results[min(at, len(results) - 1)]
                dtypes += one.dtype != ""
                ranks += one.rank is not None
    names = len({call["name"] for call in calls})
    return f"{len(calls)} calls of {names} names, {total} tensors: dtype known of {dtypes}, rank known of {ranks}"


if __name__ == "__main__":
    sys.exit(main())
