"""`compilelint prove`: whether any change of the current folder does what the original does, under TorchDynamo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.terminal import CONTEXT, FINDINGS, OK, one_line_errors, say
from compilelint.cli.verify import verify

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from compilelint.session.fixing.patched import Judged, Versions

_FORMATS = ("text", "json", "markdown")
CHANGE = under("The change")


@click.command(
    "prove",
    cls=GroupedCommand,
    context_settings=CONTEXT,
    short_help="Prove that a patch changes nothing but how it compiles.",
)
@CHANGE("--patch", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="A diff for the current folder.")
@CHANGE("--against", metavar="REV", help="The current folder against a commit, branch or tag of git.")
@CHANGE(
    "--files",
    type=(click.Path(exists=True, dir_okay=False), click.Path(exists=True, dir_okay=False)),
    metavar="OLD NEW",
    help="A file of the current folder, and another one in its place.",
)
@CHANGE(
    "--output",
    metavar="FORMAT[:FILE]",
    default="text",
    help="text, json, or markdown (for a comment on a pull request). [default: text]",
)
def prove(**given: Any) -> None:
    """Run targets with and without a change, and say whether both do the same.

    Outputs, gradients, errors and state must be equal in eager under many inputs, dtypes, devices and other conditions,
    what is compiled must equal eager, no break may be new, nor a recompile of what was compiled before, and all of the
    change must have run. THIS RUNS YOUR CODE, in processes of its own. The exit code is 0 if the change is proven, 1 if
    not, 2 for a wrong request.
    """
    with one_line_errors():
        raise click.exceptions.Exit(_prove(given))


_OF_VERIFY = frozenset(
    "targets inputs dynamic_dims mode regions timeout memory seeds repeats backend device fullgraph dynamic changes "
    "search python config isolated allow_subprocess allow_network allow_writes jobs executor resources".split()
)
prove.params = [*[one for one in verify.params if one.name in _OF_VERIFY], *prove.params]


def _prove(given: dict[str, Any]) -> int:
    from compilelint.cli import requested as asked
    from compilelint.cli.execution import place_of
    from compilelint.cli.progress import Slow
    from compilelint.cli.verify import settings_of, targets_of
    from compilelint.config import UsageError
    from compilelint.dynamic.runner import reporting
    from compilelint.session.commands.fleet import fleet_at
    from compilelint.session.fixing.patched import proven

    form = given["output"].partition(":")[0]
    if form not in _FORMATS:
        raise UsageError(
            f"unknown format {form!r}", f"--output {given['output']}", f"use one of: {', '.join(_FORMATS)}"
        )
    change = _change(given)
    given = {
        **given,
        **dict.fromkeys(("no_parity", "verbose", "cuda_graphs", "journal"), False),
        **dict.fromkeys(("resume", "cache_dir", "max_breaks", "max_recompiles", "roots")),
        "purpose": "compile",
        "paths": (".",),
    }
    options = asked.options(given)
    settings = settings_of(given)
    with change as versions, fleet_at(place_of(given, settings), "compilelint prove", keeps=False) as fleet:
        targets = targets_of(given, options, "compilelint prove")
        with Slow(say, shown=True) as slow, reporting(lambda target, phase: slow.began(target.label, phase)):
            found = proven(versions, targets, settings, fleet.observe)
    _print(found, given["output"])
    return OK if found.proven else FINDINGS


def _change(given: dict[str, Any]) -> AbstractContextManager[Versions]:
    """The one change that is asked for. Raises UsageError where there is none, or more than one."""
    import os

    from compilelint.config import UsageError
    from compilelint.session.fixing.patched import patched, replaced, since

    asked_for = [name for name in ("patch", "against", "files") if given[name]]
    if len(asked_for) != 1:
        what = "no change" if not asked_for else "more than one change"
        raise UsageError(what, "compilelint prove", "name one with --patch FILE, --against REV or --files OLD NEW")
    here = os.getcwd()
    if given["patch"]:
        return patched(here, given["patch"])
    if given["files"]:
        return replaced(here, *map(os.path.abspath, given["files"]))
    return since(here, given["against"], [one for one in (*given["targets"], *given["inputs"]) if ":" in one])


def _print(found: Judged, output: str) -> None:
    import json

    from compilelint.session.fixing.patched import as_data, as_markdown, as_text

    form, _, file = output.partition(":")
    text = json.dumps(as_data(found), indent=2) + "\n" if form == "json" else ""
    text = text or (as_markdown(found) if form == "markdown" else as_text(found))
    if not file:
        click.echo(text, nl=False)
        return
    with open(file, "w", encoding="utf-8") as out:
        out.write(text)
