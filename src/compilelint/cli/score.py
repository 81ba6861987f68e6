"""`compilelint score`: precision and recall of the static pass against records of real runs."""

from __future__ import annotations

from typing import Any

import click

from compilelint.cli.terminal import CONTEXT, OK, one_line_errors, text


@click.command(context_settings=CONTEXT, short_help="Compare findings with recorded runs.")
@click.argument("records", nargs=-1, required=True, type=text, metavar="RECORD...")
@click.option(
    "--root", type=text, required=True, metavar="FOLDER", help="Folder that the records' file names are relative to."
)
@click.option("--lint", "paths", type=text, multiple=True, metavar="PATH", help="[default: the recorded files]")
@click.option("--roots", type=text, multiple=True, metavar="ROOTS", help="As for `check`. [default: auto]")
@click.option("--torch-version", type=text, metavar="VERSION", help="[default: the one that was recorded]")
@click.option("--python", type=text, metavar="PATH", help="As for `check`.")
@click.option(
    "--min-confidence",
    type=click.Choice(["certain", "likely", "possible"]),
    default="likely",
    show_default=True,
    help="Count findings that are at least this sure.",
)
@click.option("--misses", type=click.IntRange(min=0), default=0, metavar="N", help="List N misses and N false alarms.")
@click.option(
    "--executor",
    type=text,
    default="local",
    show_default=True,
    metavar="WHERE",
    help="As for `verify`: each recorded package is linted by itself there.",
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="Processes of --executor dask.")
@click.option("--output", type=click.Choice(["full", "json"]), default="full", show_default=True)
def score(**given: Any) -> None:
    """Lint the files of recorded runs and count which breaks were predicted, and which findings were wrong.

    RECORDs are what `verify --record` wrote (JSON lines, plain or gzipped).
    """
    with one_line_errors():
        raise click.exceptions.Exit(_score(given))


def _score(given: dict[str, Any]) -> int:
    import json
    import os

    from compilelint.config import Options, UsageError
    from compilelint.dynamic import scoring
    from compilelint.model import Confidence
    from compilelint.session.commands.fleet import Place, fleet_at
    from compilelint.session.commands.score import findings_of

    try:
        cases = list(scoring.read_cases(given["records"]))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"a record cannot be read: {error}", "compilelint score", "name what --record wrote"
        ) from error
    files = sorted({file for case in cases for file in case.get("traced_lines", {})})
    there = [path for path in (os.path.join(given["root"], file) for file in files) if os.path.isfile(path)]
    paths = given["paths"] or tuple(there)
    if not paths:
        raise UsageError(
            "none of the recorded files is there", f"--root {given['root']}", "name the folder they were in"
        )
    versions = sorted({str(case.get("torch", "")).partition("+")[0] for case in cases} - {""})
    options = Options(
        paths=paths,
        roots=given["roots"] or ("auto",),
        torch_version=given["torch_version"] or (versions[-1] if versions else None),
        python=given["python"],
        min_confidence=Confidence[given["min_confidence"].upper()],
    )
    with fleet_at(Place(given["executor"], given["jobs"]), "compilelint score", keeps=False) as fleet:
        findings = findings_of(options, given["root"], fleet.engine)
    hits = scoring.hits_of({"findings": findings}, given["root"], "graph-break", given["min_confidence"])
    truth = scoring.truth_of(cases)
    judgement = scoring.judge(truth, hits)
    table = scoring.summary(truth, judgement, hits, given["min_confidence"])
    if given["output"] == "json":
        click.echo(json.dumps(table, indent=1))
        return OK
    for key, value in table.items():
        click.echo(f"{key:30} {value}")
    if given["misses"]:
        click.echo("\n".join(scoring.mistakes_text(truth, judgement, given["misses"])))
    return OK
