"""The sections of a deployment report, for every format: verdict, how, around, start, when not, how to measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.report.layout.text import counted, escaped
from compilelint.report.overview.deployment.deploy import MOST_VERDICTS
from compilelint.report.overview.deployment.plan import Deployment, Topic, Verdict
from compilelint.report.overview.parts import Bar, Item, Section

HEADS = {"train": "Training", "serve": "Serving", "edge": "A device without Python"}
_VERDICTS = {"train": "Verdict for training", "serve": "Verdict for serving", "edge": "Verdict for the device"}
_TITLES: tuple[tuple[str, tuple[Topic, ...]], ...] = (
    ("What scripts do with the models", ("use",)),
    ("How to compile it", ("mode", "shapes", "region")),
    ("What goes inside of what", ("placement",)),
    ("Around each step", ("step",)),
    ("Start and caches", ("start",)),
    ("When not to", ("skip",)),
)
_MOST_NAMES = 5
_LABELS: dict[Topic, str] = {"mode": "mode", "shapes": "shapes", "region": "region"}


def sections(found: Deployment, unfolded: bool = False) -> Iterator[Section]:
    """The sections; with `unfolded`, every verdict."""
    alike: dict[tuple[object, ...], list[Verdict]] = {}
    for one in found.verdicts:
        alike.setdefault((one.kind, one.words, one.ranges), []).append(one)
    groups = list(alike.values())
    shown = groups if unfolded else groups[:MOST_VERDICTS]
    rest = sum(map(len, groups[len(shown) :]))
    more = [f"and {rest:,} more with a verdict: `--all` shows them"] if rest else []
    more += [f"speeds are those of {found.assumes}"] if found.assumes and any(one.ranges for one, *_ in shown) else []
    items = tuple(map(_verdict, shown)) or (Item("no function was checked, so there is no verdict"),)
    yield Section(_VERDICTS[found.purpose], items, more="; ".join(more))
    for title, topics in _TITLES:
        said = [one for one in found.advice if one.topic in topics]
        lines = tuple(Item(f"{_label(one.topic)}{one.words}{_rows(one.rows)}") for one in said)
        yield Section(title, lines)
    yield Section("How to measure it", tuple(Item(f"`{escaped(one)}`") for one in found.commands), ordered=True)


def _label(topic: Topic) -> str:
    return f"{_LABELS[topic]}: " if topic in _LABELS else ""


def _rows(rows: tuple[str, ...]) -> str:
    return f" ({', '.join(rows)})" if rows else ""


def _verdict(same: Sequence[Verdict]) -> Item:
    one, *others = same
    ranges = [f"{part.what} {part.words}" for part in one.ranges]
    details = [f"expected against eager: {', '.join(ranges)}"] if ranges else []
    names = [f"`{escaped(name)}`" for name in dict.fromkeys(other.name for other in others) if name != one.name]
    if names:
        more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
        details.append(f"the same of {', '.join(names[:_MOST_NAMES])}{more}")
    bars = tuple(Bar(part.what, part.low, part.high) for part in one.ranges)
    return Item(f"`{escaped(one.name)}`: {one.words}", tuple(details), one.location, bars=bars)


def headline(found: Deployment) -> str:
    """`Training: 2 functions, compile 1, fix 1 first`."""
    words = {
        "compile": "compile",
        "fix": "fix first",
        "eager": "leave eager",
        "measure": "measure",
        "export": "export",
        "stopped": "fix before the export",
    }
    counts = {word: sum(one.kind == kind for one in found.verdicts) for kind, word in words.items()}
    parts = [f"{word} {count:,}" for word, count in counts.items() if count]
    return f"{HEADS[found.purpose]}: {', '.join([counted(len(found.verdicts), 'function'), *parts])}"
