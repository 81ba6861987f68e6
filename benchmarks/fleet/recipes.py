"""Every model that the recipes know, as targets: of transformers by type, of diffusers by class, of timm by registry.

They are what the libraries register, not a choice. A recipe builds a model with random weights and the arguments of its
calls, without network; what it cannot build says why in one line.

    python -m benchmarks.fleet.recipes > compilelint.toml
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice

LIBRARIES = ("transformers", "diffusers", "timm")


def known() -> Iterator[tuple[str, str]]:
    """Library and name of each model, libraries in turn, so that any beginning of them is a mixture."""
    found = [(one, importlib.import_module(f"benchmarks.fleet.{one}_models").names()) for one in LIBRARIES]
    order = [(place / len(names), library, name) for library, names in found for place, name in enumerate(names)]
    yield from ((library, name) for _, library, name in sorted(order))


def main(argv: Sequence[str] | None = None) -> int:
    """Print them, or one shard of them, as the targets of a `compilelint.toml`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shard", default="1/1", metavar="N/ALL", help="every ALL-th model, from the N-th")
    number, _, count = parser.parse_args(argv).shard.partition("/")
    for library, name in islice(known(), int(number) - 1, None, int(count)):
        print("[[targets]]")
        print(f'name = {json.dumps(f"{library}/{name}")}\nmodel = "benchmarks.fleet.{library}_models:model"')
        print(f"arguments = {{ name = {json.dumps(name)} }}\ntimeout = 150\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
