"""`compilelint rule`: the page of a rule, or what a break id means."""

from __future__ import annotations

import click

from compilelint.cli.terminal import COLOR, CONTEXT, FORMAT, colored, one_line_errors, rule_names, text, width


@click.command(context_settings=CONTEXT)
@click.argument("word", required=False, type=text, metavar="CODE|NAME|GBxxxx", shell_complete=rule_names)
@click.option("--list", "listed", is_flag=True, help="List all rules.")
@click.option("--all", "every", is_flag=True, help="Show the pages of all rules.")
@click.option(
    "--torch-version",
    type=text,
    metavar="VERSION",
    help="Version of torch whose break ids to show. [default: the newest]",
)
@click.option(
    "--rules", "packs", type=text, multiple=True, metavar="PATH", help="Also the rules of this file or folder."
)
@FORMAT
@COLOR
def rule(
    word: str | None,
    listed: bool,
    every: bool,
    torch_version: str | None,
    packs: tuple[str, ...],
    output: str,
    color: str,
) -> None:
    """Explain a rule, or a graph-break id of torch.

    Without an argument, list all rules.
    """
    if sum((word is not None, listed, every)) > 1:
        raise click.UsageError("name a rule, or give --list or --all: one of the three")
    from compilelint.model.break_ids import break_id_of

    break_id = break_id_of(word or "")
    if torch_version is not None and not break_id:
        raise click.UsageError("--torch-version is for break ids, as in `compilelint rule GB0170 --torch-version 2.9`")
    with one_line_errors():
        if every:
            _all(packs, output, color)
        elif break_id:
            _break_id(break_id, torch_version, output, color)
        else:
            _rule(word, packs, output, color)


def _all(packs: tuple[str, ...], output: str, color: str) -> None:
    """The pages of all rules, one behind the other."""
    from compilelint import checks
    from compilelint.report.layout.facts_history import rules_json
    from compilelint.rulebook import pages_of

    rules = checks.rulebook(packs).rules
    texts = pages_of(rules)
    if output == "json":
        click.echo(rules_json(rules, {code: page.text for code, page in texts.items()}), nl=False)
        return
    for one in rules:
        _page(texts[one.code].text, color)
        click.echo()


def _page(markdown_text: str, color: str) -> None:
    if colored(color):
        from compilelint.report.layout.page import markdown_page as markdown

        click.echo(markdown(markdown_text, width() or 80), color=True)
    else:
        click.echo(markdown_text.rstrip("\n"))


def _rule(word: str | None, packs: tuple[str, ...], output: str, color: str) -> None:
    from compilelint import checks
    from compilelint.config import named
    from compilelint.report.layout.facts_history import rules_json
    from compilelint.rulebook import RulebookError, page_of

    book = checks.rulebook(packs)
    if word is None:
        if output == "json":
            click.echo(rules_json(book.rules), nl=False)
        else:
            for one in book.rules:
                click.echo(f"{one.code}  {one.name:<28} {one.summary}")
        return
    found = book.rule(word) or named(book.rules, [word], "compilelint rule")[0]
    page = page_of(found)
    if page is None:
        raise RulebookError(f"{found.code} {found.name} has no page", "rules/", "reinstall compilelint")
    if output == "json":
        click.echo(rules_json([found], {found.code: page.text}), nl=False)
    else:
        _page(page.text + _rewrites(found.code), color)


def _rewrites(code: str) -> str:
    """What the fixes of a rule assume and change, as a section of its page."""
    import compilelint.fixes  # noqa: F401 - registers them
    from compilelint.fixes.engine.declarations import declarations, rewrites_page
    from compilelint.fixes.engine.registry import of_rule

    return rewrites_page(declarations(of_rule(code)))


def _break_id(gb_id: str, torch_version: str | None, output: str, color: str) -> None:
    """What `compilelint rule GB0170` shows."""
    from compilelint import checks
    from compilelint.config import UsageError
    from compilelint.report.layout import facts_history as history
    from compilelint.torchfacts import available, load, reach_of

    facts = load(torch_version or available()[-1])
    entry = facts.graph_break(gb_id)
    if entry is None:
        known = [version for version in available() if load(version).graph_break(gb_id) is not None]
        hint = f"torch {', '.join(known)} have it" if known else "no version has it; ids look like GB0170"
        raise UsageError(f"torch {facts.version} has no graph break {gb_id}", f"compilelint rule {gb_id}", hint)
    rules = [one for one in checks.rulebook().rules if entry.reason.value in one.breaks]
    if output == "json":
        click.echo(history.break_json(entry, facts.version, rules, reach_of(gb_id)), nl=False)
    else:
        painted = colored(color)
        click.echo(history.break_page(entry, facts.version, rules, painted, reach_of(gb_id)), nl=False, color=painted)
