"""What Dynamo refuses, by operation: conditions on values, registered for operations (`core/perform.py`).

Every file of this folder is found by listing it: a new file here takes effect without a change elsewhere. Which version
refuses what, with which id and how, stands in `torchfacts/data/refusals.json`.
"""

from __future__ import annotations

import importlib
import pkgutil

NAMES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load_all() -> None:
    """Import every file of the folder, which registers its rules."""
    for name in NAMES:
        importlib.import_module(f"{__name__}.{name}")
