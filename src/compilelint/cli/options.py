"""Options in groups: `--help` of a command with many of them is read by heading, not from top to bottom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

CONFIG_HELP = "Read this file instead of the nearest one, or one 'key = value'. Repeats."


class GroupedOption(click.Option):
    """An option that knows the heading it is listed under."""

    def __init__(self, *args: Any, heading: str = "", **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.heading = heading


class GroupedCommand(click.Command):
    """A command whose `--help` lists options under their headings, in the order in which they are declared."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """An option with an optional value takes it behind `=` alone: `--add-ignore src` names a path."""
        optional = {name for param in self.params if _is_optional(param) for name in param.opts}
        return super().parse_args(ctx, [f"{arg}=" if arg in optional else arg for arg in args])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(option, "heading", ""), []).append(record)
        others = groups.pop("", [])
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)
        with formatter.section("Other"):
            formatter.write_dl([record for record in others if record[0].startswith("-")])


def _is_optional(param: click.Parameter) -> bool:
    return isinstance(param, click.Option) and (param.metavar or "").startswith("[=")


def renamed(given: dict[str, Any], old: str, new: str) -> bool:
    """Whether a flag was given under its new or its old name; the old one is noted on stderr."""
    if given[old]:
        from compilelint.cli.terminal import say

        say(f"note: --{old.replace('_', '-')} is called --{new.replace('_', '-')} now")
    return bool(given[old] or given[new])


def under(heading: str) -> Callable[..., Callable[[F], F]]:
    """`click.option` for one heading: `RULES = under("Rules")`, then `@RULES("--select", ...)`."""

    def option(*names: str, **settings: Any) -> Callable[[F], F]:
        return click.option(*names, cls=GroupedOption, heading=heading, **settings)

    return option
