"""What a report for people shows together: like findings of one function, and names that differ in an index.

Nothing is dropped here: a group keeps all its findings, and counts elsewhere are of findings, not of groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compilelint.model import Effect, Finding
from compilelint.model.patterns import late_pattern
from compilelint.model.slotted import dataclass

_EFFECTS = list(Effect)  # worst first
_INDEX = late_pattern(r"(?<=[.\[])\d+(?=[.\]]|$)")


@dataclass(frozen=True, slots=True)
class Group:
    """The finding that is shown in full, and the others of its function that would read the same."""

    first: Finding
    others: tuple[Finding, ...] = ()


def grouped(findings: Sequence[Finding]) -> list[Group]:
    """Findings of one rule in one function with the same explanation, each group at the place of its first."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for number, one in enumerate(findings):
        place = (one.location.path, one.location.cell, one.function)
        words = (one.why, one.help, one.severity, one.confidence, one.roots, one.torch_versions, one.verdict)
        # A fix is shown with the very lines it changes, and what compilelint says of itself is never repeated.
        alone = number if one.fix is not None or one.effect is Effect.TOOL or not one.function else -1
        groups.setdefault((one.rule.code, place, words, alone), []).append(one)
    return [Group(found[0], tuple(found[1:])) for found in groups.values()]


def weight(finding: Finding) -> tuple[int, int, int]:
    """Sorts the worst first: by severity, then effect, then by how sure the finding is."""
    return -finding.severity, _EFFECTS.index(finding.effect), -finding.confidence.value


def ranged(names: Iterable[str]) -> list[str]:
    """Names in which only one index differs as one: `blocks.0.attn` to `blocks.11.attn` is `12x blocks[0..11].attn`."""
    rows: dict[tuple[str, ...], list[int]] = {}
    order: dict[tuple[str, ...], str] = {}
    for name in dict.fromkeys(names):
        found = list(_INDEX.finditer(name))
        if not found:
            order[("", name)] = name
            continue
        first = found[0]
        key = (name[: first.start()].rstrip(".["), name[first.end() :].lstrip("]"))
        rows.setdefault(key, []).append(int(first.group()))
        order.setdefault(key, name)
    return [_range(key, rows[key]) if len(rows.get(key, ())) > 1 else name for key, name in order.items()]


def _range(key: tuple[str, ...], numbers: list[int]) -> str:
    first, last = min(numbers), max(numbers)
    whole = last - first + 1 == len(numbers)
    span = f"{first}..{last}" if whole else ", ".join(map(str, sorted(numbers)))
    return f"{len(numbers)}x {key[0]}[{span}]{key[1]}"
