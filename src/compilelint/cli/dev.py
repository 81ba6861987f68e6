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
@click.option(
    "--root",
    type=text,
    default=".",
    metavar="PATH",
    help="The clone, or the folder of your rule. [default: the current folder]",
)
def new_rule(code: str, name: str, root: str) -> None:
    """Create a rule with a CODE and a NAME (kebab-case: what it finds).

    CL612 is a rule of compilelint itself, in a clone: page, check and test. It judges what the engine says happens, on
    every path, and is held against TorchDynamo. TEAM001 is a rule of your own, in any folder: one file and a page. It
    looks at LibCST trees and asks the engine where it needs to; choose it for a house rule, a library's idiom, or
    whatever is about syntax.
    """
    from compilelint.cli.scaffold import scaffold
    from compilelint.cli.scaffold_pack import PACK_CODE, scaffold_pack
    from compilelint.report.layout.text import pasted_path

    own = PACK_CODE.fullmatch(code) is not None
    with one_line_errors():
        for path in (scaffold_pack if own else scaffold)(code, name, root):
            click.echo(shown(path))
    if own:
        file = f"{name.replace('-', '_')}.py"
        click.echo(f"Next: fill in {file}, then `compilelint dev test-rules --rules {pasted_path(file)}`.", err=True)
    else:
        click.echo("Next: fill in the page and the check, then run the tests of both.", err=True)


@dev.command("reveal", context_settings=CONTEXT)
@click.argument("paths", metavar="FILE...", nargs=-1, type=text, required=True)
@unruled_options
def reveal(**given: Any) -> None:
    """Print the inferred value of each EXPR in a `reveal_type(EXPR)` of FILE, as `path:line:column: EXPR: BELIEF`.

    Nothing is imported or run. A tensor is `tensor DTYPE RANK SIZES SOURCE LAYOUT DEVICE CONFIDENCE; WHY`: DTYPE is
    bool, int, float or complex, RANK `2-d`, SIZES `[b, h*w, ?]` if one is known, SOURCE input,
    parameter, buffer, literal or computed, `?` what is not known. Numbers are `3`, `int shape` or `int shape = h*w`,
    containers `tuple(int, ?)` or `list[int]`, `A | B` is one of several, and a line that no compile root
    reaches is `not reached`.
    """
    from compilelint.session.commands.reveal import reveal as asked

    with one_line_errors():
        for options in options_each(given):
            for belief in asked(options):
                click.echo(str(belief._replace(path=shown(belief.path))))


@dev.command("test-rules", context_settings=CONTEXT)
@click.argument("words", metavar="[CODE...]", nargs=-1, type=text)
@click.option(
    "--rules", "packs", type=text, multiple=True, metavar="PATH", help="Also the rules of this file or folder."
)
@click.option("--dynamo", is_flag=True, help="Also run cases that define `f` (or `M`) and `inputs` under TorchDynamo.")
@click.option("--torch-version", type=text, metavar="VERSION", help="torch to predict for.")
def test_rules(words: tuple[str, ...], packs: tuple[str, ...], dynamo: bool, torch_version: str | None) -> None:
    """Try the VALID and INVALID cases of the rules of packs, and their fixes.

    Packs are those installed and those that --rules names. Exits with 1 if a case is not as it says.
    """
    from compilelint.config import UsageError
    from compilelint.dynamic.no_worker import NoWorkerError
    from compilelint.session.commands.test_rules import tried

    with one_line_errors():
        try:
            found = tried(packs, words, dynamo, torch_version)
        except NoWorkerError as error:
            raise UsageError(error.what, "compilelint dev test-rules --dynamo", error.hint) from error
    wrong = [one for one in found if one.faults]
    for one in wrong:
        click.echo(str(one))
    ran = f", {sum(one.ran for one in found)} run under TorchDynamo" if dynamo else ""
    click.echo(f"{len(found)} cases{ran}: {len(wrong)} not as they say", err=True)
    if not found:
        raise click.ClickException("there is no rule to try (compilelint dev test-rules); name a pack: --rules PATH")
    raise click.exceptions.Exit(1 if wrong else 0)
