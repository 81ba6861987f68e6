"""Where the targets of `verify`, `compilelint fix` and `bench` run, from their options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilelint.dynamic.protocol import Settings
    from compilelint.session.commands.fleet import Place


def place_of(given: dict[str, Any], settings: Settings) -> Place:
    """Where the targets run, from the options of `verify`. Raises UsageError."""
    from compilelint.session.commands.fleet import Place

    return Place(
        given["executor"],
        given["jobs"],
        dict(_amount(word) for word in given["resources"]),
        given["resume"] or "",
        given["journal"],
        given["cache_dir"],
        settings.python,
    )


def _amount(word: str) -> tuple[str, float]:
    from compilelint.config import UsageError

    name, _, amount = word.partition("=")
    try:
        return name, float(amount)
    except ValueError:
        raise UsageError(f"{word!r} is not a resource", "--resource", "write NAME=AMOUNT, as in GPU=1") from None
