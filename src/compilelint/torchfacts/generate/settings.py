"""Read which settings the configurations of the installed torch have. Imports torch.

python -m compilelint.torchfacts.generate.settings             # print them
python -m compilelint.torchfacts.generate.settings --install   # fold them into settings.json
python -m compilelint.torchfacts.generate.settings --check     # compare with what is there; 1 if it differs
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from compilelint.torchfacts.settings import changes, settings
from compilelint.torchfacts.store import DATA, SCHEMA, key_of

MODULES = ("torch._dynamo.config", "torch._inductor.config")


def read() -> tuple[str, dict[str, frozenset[str]]]:
    """The version of the installed torch, and by module the names of its settings, aliases too."""
    import torch

    found: dict[str, frozenset[str]] = {}
    for name in MODULES:
        module: Any = importlib.import_module(name)
        found[name] = frozenset(key for key in module._config if key != "TYPE_CHECKING")
    return torch.__version__.partition("+")[0], found


def main(argv: list[str]) -> int:
    """Print, install or compare; the exit status."""
    version, found = read()
    path = DATA / "settings.json"
    known = dict(settings()) if path.is_file() else {}
    if "--check" in argv:
        if known.get(version) == found:
            return 0
        print(f"{path} differs: python -m compilelint.torchfacts.generate.settings --install")
        return 1
    known[version] = found
    rows: dict[str, dict[str, str]] = {}
    last: Any = {}
    for number, modules in sorted(known.items(), key=lambda item: key_of(item[0])):
        rows[number] = {name: changes(last.get(name, frozenset()), names) for name, names in modules.items()}
        last = modules
    text = json.dumps({"schema": SCHEMA, "versions": rows}, indent=1) + "\n"
    if "--install" in argv:
        path.write_text(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
