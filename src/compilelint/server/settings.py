"""What the client may set, and what it says once and for all when it starts the server.

Settings may come from files of the workspace, so none of them loads or runs code: rule packs are named on the server's
command line, and only what the client itself says at the start (`initializationOptions`) makes a workspace trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

Mode: TypeAlias = Literal["auto", "workspace", "openFiles"]
"""What is linted: all files of a workspace folder, the open ones alone, or all where they are not too many."""

SECTION = "compilelint"

# By the client's word: the key of a configuration file that says the same.
_KEYS = {
    "select": "select",
    "extendSelect": "extend-select",
    "ignore": "ignore",
    "minConfidence": "min-confidence",
    "roots": "roots",
    "torchVersion": "torch-version",
    "python": "python",
    "followImports": "follow-imports",
    "exclude": "exclude",
}

_SWITCHES = {"enable": "enable", "inlayHints": "inlay_hints", "codeLens": "code_lens"}


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one workspace folder. `said` holds keys of a configuration file, as a command line has them.

    `unknown` are words that mean nothing, and values of the wrong kind, in words.
    """

    enable: bool = True
    mode: Mode = "auto"
    inlay_hints: bool = True
    code_lens: bool = True
    said: tuple[tuple[str, Any], ...] = ()
    unknown: tuple[str, ...] = ()


def settings_of(value: object) -> Settings:
    """What a client's `compilelint` section says; what it does not say, or says wrongly, is as by default."""
    if not isinstance(value, Mapping):
        return Settings()
    said: dict[str, Any] = {}
    unknown: list[str] = []
    plain: dict[str, Any] = {}
    for word, one in value.items():
        if one is None:
            continue
        if word in _KEYS and _fits(one):
            if one not in ("", []):
                said[_KEYS[word]] = one
        elif word in _SWITCHES and isinstance(one, bool):
            plain[_SWITCHES[word]] = one
        elif word == "diagnosticMode" and one in get_args(Mode):
            plain["mode"] = one
        elif word not in _CLIENT_ONLY:
            unknown.append(f"compilelint.{word} = {one!r}")
    return Settings(**plain, said=tuple(said.items()), unknown=tuple(unknown))


_CLIENT_ONLY = frozenset({"trace", "path", "importStrategy", "interpreter", "fixAllOnSave", "args", "trusted"})


def _fits(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))
