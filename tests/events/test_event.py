"""Where an event happens, and whether a graph ends there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from compilelint.events import Context, DynamoConfig
from compilelint.model import Location, Span


@dataclass(frozen=True)
class File:
    """A file whose packed positions are lines."""

    path: str

    def location(self, pos: int) -> Location:
        return Location(self.path, Span(pos, 1, pos, 2))


@dataclass(frozen=True)
class Outcome:
    """A fact that says what it was asked."""

    def breaks_under(self, fullgraph: bool, captures: frozenset[Any]) -> bool:
        return not fullgraph and not captures


@pytest.mark.parametrize(
    ("config", "breaks"),
    [
        (DynamoConfig(), True),
        (DynamoConfig(fullgraph=True), False),
        (DynamoConfig(export=True), False),
        (DynamoConfig(dynamic=True, mode="default"), True),
    ],
)
def test_a_configuration_decides_whether_a_graph_ends(config: DynamoConfig, breaks: bool) -> None:
    assert config.breaks(Outcome()) is breaks  # type: ignore[arg-type]


def frame(name: str, caller: Context | None = None, call: int = 0, doubted: bool = False, place: str = "") -> Context:
    where = File(f"/{name}.py")
    return Context(where, name, True, "root", "forward", caller, call, host_class=doubted, place=place)


def test_a_chain_leads_from_the_root_to_the_frame() -> None:
    inner = frame("inner", frame("middle", frame("root"), 3), 7)
    assert [(one.location.path, one.location.span.line, one.function) for one in inner.chain()] == [
        ("/root.py", 3, "root"),
        ("/middle.py", 7, "middle"),
    ]
    assert frame("root").chain() == ()
