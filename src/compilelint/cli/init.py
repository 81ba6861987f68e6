"""`compilelint init`: a first configuration, from a look at the project."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from compilelint.cli.terminal import CONTEXT, OK, one_line_errors, shown, text

if TYPE_CHECKING:
    from compilelint.config.starter import Row
    from compilelint.survey.top_models import Model

_HOOK = """\
# .pre-commit-config.yaml
repos:
  - repo: local
    hooks:
      - id: compilelint
        name: compilelint
        entry: compilelint check --force-exclude
        language: system
        types_or: [python, jupyter]
        require_serial: true
"""
_WORKFLOW = """\
# .github/workflows/compilelint.yml
on: [pull_request]
jobs:
  compilelint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: { python-version: "3.12" }
REQUIREMENT
      - run: compilelint check . --output github
"""


@click.command(context_settings=CONTEXT, short_help="Write a commented compilelint.toml for a project.")
@click.argument("folder", default=".", type=text)
@click.option("--verify", "run", is_flag=True, help="Build and call the models found, and write inputs that worked.")
@click.option("--python", type=text, metavar="PATH", help="With --verify: interpreter or environment that has torch.")
@click.option("--allow-subprocess", is_flag=True, help="With --verify: let models start programs.")
@click.option("--allow-network", is_flag=True, help="With --verify: let models use the network.")
@click.option("--allow-writes", is_flag=True, help="With --verify: let models write outside a scratch folder.")
def init(folder: str, run: bool, python: str | None, **allowed: bool) -> int:
    """Write a commented compilelint.toml for the project in FOLDER, and show a hook and a workflow to copy.

    Models are found by reading. Only --verify imports and runs them, in processes of their own. A project that has a
    configuration keeps it as it is.
    """
    with one_line_errors():
        return _init(folder, run, python, [name.removeprefix("allow_") for name, given in allowed.items() if given])


def _init(folder: str, run: bool, python: str | None, allow: Sequence[str]) -> int:
    from compilelint.config import UsageError
    from compilelint.config.files import nearest_file
    from compilelint.config.starter import NAME, starter
    from compilelint.disk.write import NotWrittenError, create_text
    from compilelint.report.layout.text import pasted_path
    from compilelint.session.building.factories import NAME as FACTORIES

    if not os.path.isdir(folder):
        raise UsageError("no such folder", folder, "name the folder of a project, or leave it out for this one")
    if python is not None and not run:
        raise UsageError("--python without --verify", "compilelint init", "add --verify: only then is anything run")
    if allow and not run:
        raise UsageError(f"--allow-{allow[0]} without --verify", "compilelint init", "add --verify, or leave it out")
    found, _ = nearest_file([folder])
    if found is not None and not run:
        click.echo(f"{shown(found)} already configures this project; nothing was written.")
        return OK
    factories = os.path.join(folder, FACTORIES)
    if run and os.path.lexists(factories):
        raise UsageError("it is there already", factories, "delete or rename it: --verify writes factories there")
    rows, number, built = _rows(folder, run, python, allow)
    path = os.path.join(folder, NAME)
    texts = [(factories, built)] if built else []
    if found is None:
        texts.append((path, starter(rows, number - len(rows))))
    for name, content in texts:
        try:
            create_text(name, content)
        except FileExistsError:
            raise UsageError("it appeared while this was running", name, "look at it and run this again") from None
        except NotWrittenError as error:
            raise UsageError(f"cannot write: {error.reason}", name, "choose a folder you may write to") from error
    if found is not None:
        _say_tables(found, rows, number, shown(factories) if built else "")
        return OK
    workflow = _WORKFLOW.replace("REQUIREMENT", _install_steps())
    wrote = f"{shown(path)} and {shown(factories)}" if built else shown(path)
    click.echo(f"Wrote {wrote}: {_found_in_words(rows, number, run)}.")
    click.echo(f"Next: `compilelint {pasted_path(folder)}`, {_verifying(folder, rows)}then these where you want them:")
    click.echo(f"\n{_HOOK}\n{workflow}", nl=False)
    return OK


def _say_tables(configuration: str, rows: Sequence[Row], number: int, factories: str) -> None:
    """What to add to a configuration, which is left as it is."""
    from compilelint.config.starter import tables

    wrote = f"Wrote {factories}: " if factories else ""
    header = "[[tool.compilelint.targets]]" if configuration.endswith("pyproject.toml") else "[[targets]]"
    click.echo(f"{wrote}{_found_in_words(rows, number, True)}.")
    click.echo(f"{shown(configuration)} configures this project and was left as it is. Add what you want to it:\n")
    click.echo(tables(rows, header))


def _verifying(folder: str, rows: Sequence[Row]) -> str:
    """The command that runs the targets, where some ran and it finds them: it looks from the working folder."""
    from compilelint.report.layout.text import counted

    here = os.path.realpath(folder) == os.path.realpath(os.curdir)
    ready = sum(row.ran or bool(row.inputs) for row in rows if not row.guessed_from)
    return f"`compilelint verify` (the {counted(ready, 'target')} that ran), " if here and ready else ""


def _install_steps() -> str:
    """The steps of the workflow that install this compilelint: the commit or the version that pip took it from. Of a
    folder, which no other machine has, a wheel that is kept in the project.
    """
    import json
    import shlex
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    from compilelint import __version__

    step = "      - run: pip install"
    try:
        origin = json.loads(distribution("compilelint").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    if commit := origin.get("vcs_info", {}).get("commit_id", ""):
        return f"{step} git+{origin['url']}@{commit}"
    if "url" not in origin:
        return f"{step} compilelint=={__version__}"
    place = shown(shlex.quote(unquote(urlsplit(origin["url"]).path)))
    once = f"pip wheel --no-deps --wheel-dir tools {place}"
    return f"      # Once: {once}, and commit the wheel\n{step} tools/compilelint-*.whl"


def _found_in_words(rows: Sequence[Row], number: int, run: bool) -> str:
    """What was found, in words."""
    if not rows:
        return "no models found, so name yours under [[targets]]"
    models = f"{number} model{'' if number == 1 else 's'} found"
    if len(rows) < number:
        models += f", the first {len(rows)} written"
    ready = sum(bool(row.inputs) or row.ran for row in rows)
    if run:
        return f"{models}, {ready} of them with inputs that ran"
    guessed = f", inputs of {ready} guessed from the first layer" if ready else ""
    return f"{models}, none of them run{guessed} (`compilelint init --verify` runs them and finds inputs)"


def _guessed(model: Model) -> Row:
    """A model that was not run: with what its first layer takes, where that can be read."""
    from compilelint.config.starter import Row

    guess = model.guess
    inputs, layer = ((guess.text,), guess.layer) if guess else ((), "")
    return Row(model.reference, model.inputs, inputs, required=model.required, guessed_from=layer)


def _rows(folder: str, run: bool, python: str | None, allow: Sequence[str]) -> tuple[list[Row], int, str]:
    """A row for each of the first models, how many there are in all, and the text of the factories that were needed."""
    from compilelint.cli.verify import interpreter
    from compilelint.config.starter import Row
    from compilelint.dynamic.protocol import Settings
    from compilelint.project.import_roots import import_roots
    from compilelint.session.commands.init import factories_text, models_in, tried, ways_in
    from compilelint.syntax.source import portable

    top = portable(folder)
    found, number = models_in(top)
    if not run:
        return [_guessed(one) for one in found], number, ""
    settings = Settings(python=interpreter(python), paths=import_roots(top), cwd=top, allow=tuple(allow))
    outcomes = tried(found, settings, ways_in(top, found))
    built, names = factories_text(outcomes)
    rows = [
        Row(
            names.get(one.model, one.model.reference),
            one.model.inputs,
            one.inputs,
            one.why_not,
            one.model.required if not one.ran else (),
            one.breaks,
            ran=one.ran,
            ways=one.ways,
        )
        for one in outcomes
    ]
    return rows, number, built
