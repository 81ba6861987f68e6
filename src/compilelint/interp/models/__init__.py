"""What library callables do to abstract values: one file a library, registered by name (`core/registry.py`).

Every file of this folder is found by listing it: a new file here is a new library, and nothing else is to be changed.
"""

from __future__ import annotations

import importlib
import pkgutil

NAMES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load_all() -> None:
    """Import every file of the folder, which registers what it models."""
    for name in NAMES:
        importlib.import_module(f"{__name__}.{name}")
