"""Who comes to a graph-break id, and how much of it the lint was seen to find: `reach.json`, from the project's table.

The table (`benchmarks/registry.md`) holds recorded programs for each id that user code reaches; its `--update` writes
this file. Loads no torch and runs nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias, cast

from compilelint.model.slotted import dataclass
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.store import DATA, read

Reachable: TypeAlias = Literal["yes", "setting", "no"]


@dataclass(frozen=True, slots=True)
class Reach:
    """`reachable` says whether user code comes to an id, or only under a setting.

    `found` has, by release of torch ("2.13"), how many recorded programs end with the id, and how many of them are
    reported on the line.
    """

    reachable: Reachable
    found: Mapping[str, tuple[int, int]]


def reach_of(gb_id: str, data: Path = DATA) -> Reach | None:
    """What is known of an id; None where it is not settled."""
    return _reaches(data).get(gb_id)


@functools.lru_cache(maxsize=4)
def _reaches(data: Path) -> dict[str, Reach]:
    content = read("reach.json", data)
    try:
        return {
            f"GB{number}": Reach(
                cast(Reachable, reachable),
                {release: (shown, found) for release, (shown, found) in counts.items()},
            )
            for reachable, ids in content["ids"].items()
            for number, counts in ids.items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FactsError(
            f"reach.json is damaged: {error!r}", str(data / "reach.json"), "reinstall compilelint"
        ) from error
