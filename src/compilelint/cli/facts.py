"""`compilelint facts`: what torch does with a name in every version, and what an upgrade changes."""

from __future__ import annotations

import click

from compilelint.cli.terminal import COLOR, CONTEXT, FINDINGS, FORMAT, OK, colored, one_line_errors, say, text


@click.group(context_settings=CONTEXT, no_args_is_help=False, invoke_without_command=True)
@click.pass_context
def facts(ctx: click.Context) -> None:
    """What torch does with a name, version by version.

    The tables are measured on torch itself.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@facts.command("show", context_settings=CONTEXT)
@click.argument("name", type=text)
@FORMAT
@COLOR
def show_facts(name: str, output: str, color: str) -> None:
    """What Dynamo does with NAME (such as torch.Tensor.item, time.time, nn.LSTM) in every version."""
    from compilelint.config import UsageError
    from compilelint.report.layout import facts_history as history
    from compilelint.torchfacts import facts_row, nearest_names

    with one_line_errors():
        rows = facts_row(name)
        if not rows:
            alike = ", ".join(nearest_names(name))
            hint = f"did you mean {alike}?" if alike else "write the dotted name that torch's documentation uses"
            raise UsageError(f"there are no facts about {name!r}", "compilelint facts show", hint)
        if output == "json":
            click.echo(history.row_json(name, rows), nl=False)
        else:
            click.echo(history.row_page(rows, colored(color)), nl=False, color=colored(color))


@facts.command("diff", context_settings=CONTEXT)
@click.argument("before", type=text)
@click.argument("after", type=text)
@click.argument("paths", nargs=-1, type=text)
@click.option("--roots", type=text, multiple=True, metavar="ROOTS", help="As for `check`. [default: auto]")
@click.option("--python", type=text, metavar="PATH", help="As for `check`.")
@FORMAT
@COLOR
def diff_facts(
    before: str,
    after: str,
    paths: tuple[str, ...],
    roots: tuple[str, ...],
    python: str | None,
    output: str,
    color: str,
) -> None:
    """Names that version AFTER treats differently; with PATHS, findings that the upgrade adds or removes.

    With PATHS the exit code is 1 if the upgrade adds a finding.
    """
    with one_line_errors():
        if paths:
            code = _upgrade(before, after, paths, roots, python, output, colored(color))
            raise click.exceptions.Exit(code)
        _difference(before, after, output, colored(color))


def _difference(before: str, after: str, output: str, painted: bool) -> None:
    from compilelint.report.layout import facts_history as history
    from compilelint.torchfacts import facts_diff

    first, second = _known(before), _known(after)
    found = facts_diff(before, after)
    if output == "json":
        click.echo(history.diff_json(first, second, found), nl=False)
    else:
        click.echo(history.diff_page(first, second, found, painted), nl=False, color=painted)


def _known(version: str) -> str:
    """The shipped version that stands for the one asked for; says so where it is another one."""
    from compilelint.torchfacts import load

    facts = load(version)
    if not facts.exact:
        say(f"note: no facts for torch {version}; those of {facts.version} are used")
    return facts.version


def _upgrade(
    before: str,
    after: str,
    paths: tuple[str, ...],
    roots: tuple[str, ...],
    python: str | None,
    output: str,
    painted: bool,
) -> int:
    """Lint the paths for both versions and compare."""
    from compilelint import checks
    from compilelint.config import settle
    from compilelint.report.layout import facts_history as history
    from compilelint.session.commands.lint import lint

    versions = _known(before), _known(after)
    rules = checks.rulebook().rules
    layers = ({"roots": roots, "torch-version": version, "python": python} for version in versions)
    old, new = (lint(settle(paths, one, rules).options).findings for one in layers)
    found = history.Upgrade.between(*versions, old, new)
    if output == "json":
        click.echo(history.upgrade_json(found), nl=False)
    else:
        click.echo(history.upgrade_page(found, painted), nl=False, color=painted)
    return FINDINGS if found.added else OK
