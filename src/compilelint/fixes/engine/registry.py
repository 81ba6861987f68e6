"""The table of rewrites: which may answer what a check names, and in which order they are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.laws import Offer
from compilelint.model import Finding, Fix, RewriteName
from compilelint.model.slotted import dataclass

Rewriter = Callable[[Finding, Code], Iterator[Fix | Offer]]

_TABLE: dict[tuple[RewriteName, bool], dict[int, Rewriter]] = {}


@dataclass(frozen=True, slots=True)
class Registered:
    """A rewrite, whether it is only kept with proof, and the codes of the rules whose pages name it."""

    function: Rewriter
    proven: bool
    rules: tuple[str, ...]


_NAMED: list[Registered] = []
_OF_RUNS: set[RewriteName] = set()


def rewrite(
    name: RewriteName, *, rank: int, proven: bool = False, rules: tuple[str, ...] = (), runs: bool = False
) -> Callable[[Rewriter], Rewriter]:
    """Register a function as a rewrite for what checks call `name`.

    Of those for one name the lowest `rank` is tried first: the one that changes least. `proven` ones are only kept with
    proof (`compilelint fix`) and tried after all others. `rules` are the codes of the rules whose pages name it; a
    function that has several names gives them once. One of `runs` reads what runs showed (`Code.observed`). Raises
    ValueError where two claim the same rank.
    """

    def register(function: Rewriter) -> Rewriter:
        if rules:
            _NAMED.append(Registered(function, proven, rules))
        if runs:
            _OF_RUNS.add(name)
        taken = _TABLE.setdefault((name, proven), {})
        if taken.setdefault(rank, function) is not function:
            raise ValueError(f"{function.__name__} and {taken[rank].__name__} both have rank {rank} for {name!r}")
        return function

    return register


def rewrites(name: RewriteName, *, proven: bool = False) -> tuple[Rewriter, ...]:
    """The rewrites registered for a name, first the one that changes least."""
    taken = _TABLE.get((name, proven), {})
    return tuple(taken[rank] for rank in sorted(taken))


def reads_runs(name: RewriteName) -> bool:
    """Whether a rewrite for a name can only say what it would do once the program ran."""
    return name in _OF_RUNS


def of_rule(code: str) -> tuple[Registered, ...]:
    """The rewrites that a rule's page names, in the order of their files."""
    return tuple(one for one in _NAMED if code in one.rules)


def registered(name: str) -> Registered | None:
    """The rewrite whose function has this name, if a rule's page names it."""
    return next((one for one in _NAMED if one.function.__name__ == name), None)


def names(*, proven: bool = False) -> frozenset[RewriteName]:
    """Every name that a rewrite is registered for."""
    return frozenset(name for name, kind in _TABLE if kind is proven)
