"""`compilelint config`: what holds in a run, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.requested import settings_each, shared_options
from compilelint.cli.terminal import CONTEXT, one_line_errors, shown, text
from compilelint.keys import KEYS, key

if TYPE_CHECKING:
    from compilelint.config import Options, Settings

OUTPUT = under("Output")


@click.command(cls=GroupedCommand, context_settings=CONTEXT, short_help="Show the settings, and where each comes from.")
@click.argument("paths", nargs=-1, type=text)
@shared_options
@OUTPUT(
    "--fail-on",
    type=click.Choice(key("fail-on").choices, case_sensitive=False),
    help="As for `check`. [default: warning]",
)
@OUTPUT("--schema", is_flag=True, help="Print the JSON Schema of the configuration, for editors and validators.")
@OUTPUT(
    "--output",
    type=click.Choice(["full", "json"]),
    default="full",
    help="Format: for people or for programs. [default: full]",
)
def config(**given: Any) -> None:
    """Show the settings for each of PATHS, and where each one comes from."""
    if given["schema"]:
        from importlib.resources import files

        click.echo(files("compilelint.config").joinpath("schema.json").read_text(encoding="utf-8"), nl=False)
        return
    with one_line_errors():
        each = settings_each(given, given["paths"] or (".",))
        for found in each:
            _refuse_nowhere(found.options)
        as_json = given["output"] == "json"
        if as_json and len(each) > 1:
            click.echo(f"[{', '.join(_json(found).rstrip() for found in each)}]")
        else:
            click.echo("\n".join(_json(found) if as_json else _page(found) for found in each), nl=False)


def _refuse_nowhere(options: Options) -> None:
    """An environment or a version of torch that `check` would refuse is no setting either."""
    if options.python is not None or options.torch_version is not None:
        from compilelint.session.pipeline.inputs import environment_of, torch_of

        torch_of(options, environment_of(options, "."), ".")


def _page(found: Settings) -> str:
    from compilelint.report.layout.text import escaped

    defaults = {key.name: key.default for key in KEYS}
    file = found.options.config_file
    lines = [f"# {shown(file)}" if file else "# no configuration file"]
    for one in found.settings:
        line = f"{one.key} = {_toml(_toml_value(one.value))}" if one.origins else f"{one.key}: {defaults[one.key]}"
        origin = ", ".join(dict.fromkeys(one.origins)) or "default"
        lines.append(f"{line}  # {escaped(origin)}")
    lines += [f"# note: {escaped(note)}" for note in found.options.notes]
    return "\n".join(lines) + "\n"


def _json(found: Settings) -> str:
    import json

    from compilelint.report.layout.text import json_text

    defaults = {key.name: key.default for key in KEYS}
    document = {
        "file": found.options.config_file,
        "settings": {
            one.key: {"value": _toml_value(one.value), "from": list(one.origins), "default": defaults[one.key]}
            for one in found.settings
        },
        "notes": list(found.options.notes),
    }
    return json_text(json.dumps(document, indent=1)) + "\n"


def _toml_value(value: Any) -> Any:
    """A setting as TOML and JSON have it."""
    from compilelint.config import TargetTable
    from compilelint.events import DynamoConfig
    from compilelint.model import Confidence, Severity

    if isinstance(value, (Confidence, Severity)):
        return value.label
    if isinstance(value, DynamoConfig):
        flags = {"fullgraph": value.fullgraph, "export": value.export, "dynamic": value.dynamic, "mode": value.mode}
        captures = {one.value.replace("_", "-"): True for one in sorted(value.captures, key=lambda one: one.value)}
        return {name: one for name, one in flags.items() if one not in (None, False)} | captures
    if isinstance(value, TargetTable):
        return dict(value.values)
    if isinstance(value, tuple) and value and all(isinstance(one, tuple) for one in value):
        return {name: _toml_value(one) for name, one in value}
    return [_toml_value(one) for one in value] if isinstance(value, (list, tuple)) else value


def _toml(value: Any) -> str:
    """A plain value on one line of TOML."""
    import json

    from compilelint.report.layout.text import quoted

    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{_printed_key(name)} = {_toml(one)}" for name, one in value.items()) + " }"
            if value
            else "{}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return str(value)  # a date or time


def _printed_key(name: str) -> str:
    from compilelint.report.layout.text import quoted

    bare = name.replace("-", "").replace("_", "")
    return name if bare.isascii() and bare.isalnum() else quoted(name)
