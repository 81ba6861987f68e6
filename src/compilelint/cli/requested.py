"""From what click parsed to the options of a run: the command line, united with the configuration files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.options import CONFIG_HELP, F, under
from compilelint.cli.terminal import rule_names, text, words
from compilelint.keys import KEYS, key

if TYPE_CHECKING:
    from compilelint.config import Options, Settings
    from compilelint.model import Rule

RULES = under("Rules")
FILES = under("Files")
COMPILED = under("What is compiled, and by which torch")
CONFIGURATION = under("Configuration")

KEYED = tuple(one.name for one in KEYS if one.option and one.name != "timeout")
"""Options that say the same as the key of their name in a configuration file."""

UNKEYED = ("jobs", "no_cache", "cache_dir", "update_baseline", "diff_base", "packs", "purpose")
"""Options that a configuration file cannot set, by their name in `Options`."""


JOBS_HELP = "Number of processes. [default: one a core, at most 4, where there are over 2 MB of source]"

DEPLOYMENTS = {"train": "compile", "serve": "compile", "edge": "aoti"}
"""What `report` can be for, and what the code is judged for then."""

_LIST: dict[str, Any] = {"multiple": True, "metavar": "RULES", "shell_complete": rule_names}

_NAMED_RULES = RULES(
    "--rules", "packs", type=text, multiple=True, metavar="PATH", help="Also use the rules of this file or folder."
)
_ABOUT_RULES = (
    _NAMED_RULES,
    RULES("--select", type=words, **_LIST, help=key("select").help),
    RULES("--extend-select", type=words, **_LIST, help=key("extend-select").help),
    RULES("--ignore", type=words, **_LIST, help=key("ignore").help),
    RULES(
        "--min-confidence",
        type=click.Choice(key("min-confidence").choices, case_sensitive=False),
        help=key("min-confidence").help,
    ),
)
_UNRULED = (
    FILES("--exclude", type=text, multiple=True, metavar="PATTERN", help=key("exclude").help),
    FILES("--force-exclude", is_flag=True, help=key("force-exclude").help),
    COMPILED(
        "--roots",
        type=text,
        multiple=True,
        metavar="ROOTS",
        help=key("roots").help,
    ),
    COMPILED(
        "--torch-version",
        type=text,
        metavar="VERSION",
        help=key("torch-version").help,
    ),
    COMPILED("--python", type=text, metavar="PATH", help=key("python").help),
    COMPILED(
        "--follow-imports",
        type=click.Choice(key("follow-imports").choices),
        help=key("follow-imports").help,
    ),
    CONFIGURATION("--config", type=text, multiple=True, metavar="FILE|KEY=VALUE", help=CONFIG_HELP),
    CONFIGURATION("--isolated", is_flag=True, help="Read no configuration file."),
)


_PURPOSES = ("compile", "export", "export-strict", "aoti")
purpose_option = COMPILED(
    "--for",
    "purpose",
    type=click.Choice(_PURPOSES),
    help="Check for torch.compile, torch.export (as by default, or strict=True) or AOTInductor. [default: compile]",
)
deployment_option = COMPILED(
    "--for",
    "purpose",
    type=click.Choice([*_PURPOSES, *DEPLOYMENTS]),
    help="As for `check`; or say what to compile, and how, to train, to serve, or on an edge device without "
    "Python. [default: compile]",
)


def shared_options(command: F) -> F:
    """The options of everything that lints: rules, files, what is compiled, configuration."""
    for option in reversed((*_ABOUT_RULES, *_UNRULED)):
        command = option(command)
    return command


def unruled_options(command: F) -> F:
    """Those of what lints without judging by rules."""
    for option in reversed(_UNRULED):
        command = option(command)
    return command


def settings(
    given: dict[str, Any], nearest: tuple[str | None] | None = None, rules: Sequence[Rule] | None = None
) -> Settings:
    """What the command line and the configuration files ask for together; `nearest` as for `settle`.

    `rules` are those that there are, where they are known (`rules_of`). Raises UsageError.
    """
    from compilelint.config import settle

    said = {name: given.get(name.replace("-", "_")) for name in KEYED}
    for name in ("select", "extend-select", "ignore"):
        said[name] = tuple(word for part in said[name] or () for word in part)
    said["timeout"] = given.get("lint_timeout")  # of `verify` and `bench`, --timeout is that of a target
    paths = given["paths"] or (".",)
    rules = rules_of(given) if rules is None else rules
    return settle(paths, said, rules, config=given["config"], isolated=given["isolated"], nearest=nearest)


def rules_of(given: dict[str, Any]) -> Sequence[Rule]:
    """The rules that there are, those of packs included: every installed package is asked for one."""
    from compilelint import checks

    return checks.rulebook(given.get("packs") or (), given["paths"] or (".",)).rules


def settings_each(
    given: dict[str, Any], paths: Sequence[str], rules: Sequence[Rule] | None = None
) -> tuple[Settings, ...]:
    """`settings`, once for each configuration file that is the nearest to one of the paths. Raises UsageError."""
    from compilelint.config import nearest_files

    files = [one for one in given["config"] if "=" not in one or os.path.exists(one)]
    if given["isolated"] or files:
        return (settings(given, None, rules),)
    rules = rules_of(given) if rules is None else rules
    nearest = dict.fromkeys(nearest_files(paths).values())
    return tuple(settings(given, (one,), rules) for one in nearest) or (settings(given, None, rules),)


def options_each(given: dict[str, Any]) -> tuple[Options, ...]:
    """The options of each run: files that have different configurations are linted apart. Raises UsageError."""
    from compilelint.session.commands.lint import files_to_lint

    # Once: each installed package is asked whether it brings some. What is piped is linted under a name of its own.
    rules = None if _is_piped(given) else rules_of(given)
    main = options(given, rules)
    if main.stdin is not None:
        return (main,)
    each = [one.options for one in settings_each(given, files_to_lint(main), rules)]
    if len(each) == 1 and each[0].config_file == main.config_file:
        return (main,)
    return tuple(replace(one, **_unkeyed(given)) for one in each)


def options(given: dict[str, Any], rules: Sequence[Rule] | None = None) -> Options:
    """The options of one run; `rules` as for `settings`. Raises UsageError."""
    name = given.get("stdin_filename")
    from_stdin = _is_piped(given)
    if from_stdin and given["paths"] not in ((), ("-",)):
        raise click.UsageError("standard input is linted alone; leave the other paths out")
    if from_stdin:
        given = {**given, "paths": (name or "<stdin>",)}
    found = settings(given, None, rules).options
    return replace(found, **_unkeyed(given), stdin=_standard_input() if from_stdin else None)


def _is_piped(given: dict[str, Any]) -> bool:
    return given.get("stdin_filename") is not None or "-" in given["paths"]


def _unkeyed(given: dict[str, Any]) -> dict[str, Any]:
    """What the command line says beside the keys; the number of processes also where it says nothing."""
    said = {name: given[name] for name in UNKEYED if given.get(name) is not None}
    if "jobs" in given and "jobs" not in said:
        from compilelint.session.parallel.cores import usual_jobs

        said["jobs"] = usual_jobs()
    return said


def _standard_input() -> bytes:
    """What is linted from standard input. Raises UsageError."""
    from compilelint.config import UsageError
    from compilelint.syntax.source import MAX_BYTES

    hint = "pipe a file into it: compilelint - < FILE"
    if sys.stdin is None:
        raise UsageError("standard input is closed", "-", hint)
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"standard input cannot be read: {(error.strerror or str(error)).lower()}", "-", hint
        ) from error
    if len(data) > MAX_BYTES:
        raise UsageError(f"standard input holds more than {MAX_BYTES // 1_000_000} MB", "-", "name the file instead")
    return data
