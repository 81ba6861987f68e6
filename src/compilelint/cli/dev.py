"""`compilelint dev`: for those who work on compilelint itself, in a clone of its repository."""

from __future__ import annotations

import click

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
    """Write page, check and test of a rule with a CODE (CL612) and a NAME (kebab-case: what it finds)."""
    from compilelint.cli.scaffold import scaffold

    with one_line_errors():
        for path in scaffold(code, name, root):
            click.echo(shown(path))
    click.echo("Next: fill in the page and the check, then run the tests of both.", err=True)
