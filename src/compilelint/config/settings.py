"""What holds in a run, and where it comes from.

Defaults, then the files, then `--config key = value`, then the command line.

A later word replaces an earlier one, with three exceptions: words that name rules are applied layer by layer (each may
select again, add and take away), and the tables `severity`, `per-file-ignores` and `compilers` are united line by line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from compilelint.config.files import ConfigFile, Value, nearest_file, read_chain, read_inline
from compilelint.config.keys import BY_NAME, Place, read
from compilelint.config.options import Options, Selection, UsageError
from compilelint.disk.tree import may_name
from compilelint.keys import KEYS
from compilelint.model import Rule
from compilelint.model.slotted import dataclass
from compilelint.report.layout.text import shown_path
from compilelint.syntax.source import portable

_BY_LAYER = frozenset({"select", "extend-select", "ignore"})
_UNITED = frozenset({"severity", "per-file-ignores", "compilers"})
_PATHS = frozenset({"baseline", "python"})


@dataclass(frozen=True, slots=True)
class Setting:
    """One key as it holds: `value` is None where nothing was said, and `origins` is empty then."""

    key: str
    value: Any
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a run and where each of its settings comes from."""

    options: Options
    settings: tuple[Setting, ...]


def settle(
    paths: Sequence[str],
    command_line: Mapping[str, Any],
    rules: Sequence[Rule],
    *,
    config: Sequence[str] = (),
    isolated: bool = False,
    nearest: tuple[str | None] | None = None,
    tree: Sequence[str] = (),
) -> Settings:
    """The options for a run on `paths`. Raises UsageError.

    With `nearest`, the run is about those files alone to which this configuration file (or none) is the nearest.
    `tree` are folders around `paths` in which configuration files may name others.

    `command_line` holds what the command line says, by key (`min-confidence`), as TOML would (texts, arrays); None and
    empty arrays say nothing. `config` holds files and `key = value` snippets; a file replaces the nearest one.
    """
    inline = [read_inline(one, rules) for one in config if "=" in one and not os.path.exists(one)]
    files = [one for one in config if "=" not in one or os.path.exists(one)]
    chosen, passed_over = (None, ()) if isolated or files else nearest_file(paths)
    if nearest is not None:
        chosen, passed_over = nearest[0], ()
    around = (*paths, *tree)
    chain = [one for path in files or ([chosen] if chosen else []) for one in read_chain(path, rules, around)]
    main = chain[-1] if chain else None
    layers = [*chain, *inline, _command_line(command_line, rules)]

    found: dict[str, list[tuple[ConfigFile, Value]]] = {}
    for layer in layers:
        for name, value in layer.values.items():
            found.setdefault(name, []).append((layer, value))
    values = {name: _united(name, said) for name, said in found.items()}
    fields = {name.replace("-", "_"): value for name, value in values.items() if name not in (*_BY_LAYER, "extend")}
    settings = tuple(_setting(key.name, values.get(key.name), found.get(key.name, ())) for key in KEYS)
    own = layers[-1].values
    excludes_here = "exclude" in own or main is None
    options = Options(
        paths=tuple(paths),
        select=_words(own, "select"),
        extend_select=_words(own, "extend-select"),
        ignore=_words(own, "ignore"),
        selections=tuple(
            Selection(_words(one.values, "select"), _words(one.values, "extend-select"), _words(one.values, "ignore"))
            for one in layers[:-1]
        ),
        config_file=main.path if main else None,
        project=main.folder if main else portable(os.getcwd()),
        exclude_base=None if excludes_here or main is None else main.folder,
        origins=tuple((one.key, one.origins[-1]) for one in settings if one.origins),
        nearest_only=nearest is not None,
        notes=tuple(_passed_over(path, main) for path in passed_over),
        **fields,
    )
    return Settings(options, settings)


def _command_line(command_line: Mapping[str, Any], rules: Sequence[Rule]) -> ConfigFile:
    values = {}
    for name, value in command_line.items():
        if value is None or value is False or value in ((), []):
            continue
        here = Place(f"--{name}", (name,), {}, rules, ours=True)
        values[name] = Value(read(BY_NAME[name], here, list(value) if isinstance(value, tuple) else value), f"--{name}")
    return ConfigFile("", portable(os.getcwd()), values)


def _united(name: str, said: Sequence[tuple[ConfigFile, Value]]) -> Any:
    """The value that holds, of those said, the weakest first."""
    layer, last = said[-1]
    if name in _BY_LAYER:
        return tuple(word for _, one in said for word in one.value)
    if name in _UNITED:
        return tuple({entry[0]: entry for _, one in said for entry in one.value}.values())
    if name in _PATHS and layer.path:
        path = portable(os.path.join(layer.folder, os.path.expanduser(last.value)))
        if name == "baseline":
            _refuse_outside(path, layer, last.origin)
        return path
    return last.value


def _refuse_outside(path: str, layer: ConfigFile, said: str) -> None:
    """What a project's own configuration has us read and write lies in the project. Raises UsageError."""
    if not may_name(layer.folder, path):
        hint = "name a file in the project, or pass --baseline on the command line"
        raise UsageError(f"{shown_path(path)} is outside the project", said, hint)


def _words(values: Mapping[str, Value], name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = values[name].value if name in values else ()
    return found


def _setting(key: str, value: Any, said: Sequence[tuple[ConfigFile, Value]]) -> Setting:
    origins = tuple(one.origin for _, one in said)
    return Setting(key, value, origins if key in _BY_LAYER | _UNITED else origins[-1:])


def _passed_over(path: str, main: ConfigFile | None) -> str:
    instead = shown_path(main.path) if main else "none, as no file is above all the paths named"
    return f"{shown_path(path)} is not used: a run has one configuration, and this one uses {instead}"
