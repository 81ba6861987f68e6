"""`compilelint dev`: for those who work on compilelint itself, in a clone of its repository."""

from __future__ import annotations

from typing import Any

import click

from compilelint.cli.requested import options_each, unruled_options
from compilelint.cli.terminal import CONTEXT, one_line_errors, shown, text


@click.group(context_settings=CONTEXT, no_args_is_help=False, invoke_without_command=True)
@click.pass_context
def dev(ctx: click.Context) -> None:
    """Work on compilelint itself, in a clone."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@dev.command("new-rule", context_settings=CONTEXT)
@click.argument("code", type=text)
@click.argument("name", type=text)
@click.option("--root", type=text, default=".", metavar="PATH", help="The clone. [default: the current folder]")
def new_rule(code: str, name: str, root: str) -> None:
    """Create page, check and test of a rule with a CODE (CL612) and a NAME (kebab-case: what it finds)."""
    from compilelint.cli.scaffold import scaffold

    with one_line_errors():
        for path in scaffold(code, name, root):
            click.echo(shown(path))
    click.echo("Next: fill in the page and the check, then run the tests of both.", err=True)


@dev.command("reveal", context_settings=CONTEXT)
@click.argument("paths", metavar="FILE...", nargs=-1, type=text, required=True)
@unruled_options
def reveal(**given: Any) -> None:
    """Print the inferred value of each EXPR in a `reveal_type(EXPR)` of FILE, as `path:line:column: EXPR: BELIEF`.

    Nothing is imported or run. A tensor is `tensor DTYPE RANK SOURCE LAYOUT DEVICE CONFIDENCE; WHY`: DTYPE is bool,
    int, float or complex, RANK `2-d`, SOURCE input, parameter, buffer, literal or computed, `?` what is not known.
    Numbers are `3` or `int shape`, containers `tuple(int, ?)` or `list[int]`, `A | B` is one of several, and a line
    that no compile root reaches is `not reached`.
    """
    from compilelint.session.commands.reveal import reveal as asked

    with one_line_errors():
        for options in options_each(given):
            for belief in asked(options):
                click.echo(str(belief._replace(path=shown(belief.path))))
