"""The names that torch's configurations have, by version: `settings.json`, as the generator has read them.

A version that was not read has none, so that nothing is said of it. Loads no torch and runs nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.store import DATA, read


@functools.cache
def settings(data: Path = DATA) -> Mapping[str, Mapping[str, frozenset[str]]]:
    """By version and module (`torch._dynamo.config`) the settings; raises FactsError where the file is damaged."""
    content: Any = read("settings.json", data)
    try:
        return {
            version: {module: frozenset(names.split()) for module, names in modules.items()}
            for version, modules in content["versions"].items()
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise FactsError(
            f"settings.json is damaged: {error!r}", str(data / "settings.json"), "reinstall compilelint"
        ) from error
