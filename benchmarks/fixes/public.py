"""What fixes make of published code: the diffs of `docs/public-diffs.md`, each with its commit message.

    pip install --no-deps --target FOLDER segmentation_models_pytorch==0.6.0 basicsr==1.4.2 vit-pytorch==1.26.11 \\
        kornia==0.9.0 torchmetrics==1.9.0
    python -m benchmarks.fixes.public FOLDER            prints the page
    python -m benchmarks.fixes.public FOLDER --write    writes it
    python -m benchmarks.fixes.public FOLDER --check    1 if the fixes make something else of the same files today

Each package is linted as a whole, with default settings; the page shows what `check --fix --unsafe-fixes` makes of the
chosen files, and of no other. Quoted are the changed lines with those around them, under the licence that is named.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from compilelint.config import Options
from compilelint.session.commands.fix import Fixed, fix, unified
from compilelint.session.fixing.explain import messages

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "public-diffs.md"
TORCH = "2.13"
_HEAD = """# Diffs of public code

What `compilelint check --fix --unsafe-fixes` makes of some files of published packages, linted whole and with default
settings for torch {torch}; nothing was run. Each diff comes with its message of `--commit-message`. The code is that
of the packages, under their licences. `python -m benchmarks.fixes.public FOLDER --write` writes this page from the
pinned packages, `--check` compares it with what the fixes make today, and a test reads this page.
[Five diffs](diffs.md) shows files of our own, whose fixes a test makes again and runs.
"""


@dataclass(frozen=True)
class Chosen:
    """A file of a package: its version on PyPI, its licence, and why it is shown."""

    package: str
    version: str
    licence: str
    path: str
    about: str


CHOSEN = (
    Chosen(
        "segmentation_models_pytorch",
        "0.6.0",
        "MIT",
        "segmentation_models_pytorch/metrics/functional.py",
        "A metric warns where it divides by zero, and asks the data for that.",
    ),
    Chosen(
        "basicsr",
        "1.4.2",
        "Apache-2.0",
        "basicsr/archs/dfdnet_util.py",
        "Two kernels of a blur are plain attributes, so each call copies them to the device.",
    ),
    Chosen(
        "vit-pytorch",
        "1.26.11",
        "MIT",
        "vit_pytorch/simple_vit.py",
        "A table of positions is a plain attribute of a module.",
    ),
    Chosen("kornia", "0.9.0", "Apache-2.0", "kornia/geometry/quaternion.py", "An average checks its weights."),
    Chosen("kornia", "0.9.0", "Apache-2.0", "kornia/geometry/transform/crop3d.py", "Boxes must be of one size."),
    Chosen(
        "torchmetrics",
        "1.9.0",
        "Apache-2.0",
        "torchmetrics/functional/regression/tweedie_deviance.py",
        "A deviance asks whether its inputs are positive, by power.",
    ),
)


def sections(folder: Path) -> list[str]:
    """The sections of the page, in the order of `CHOSEN`. Raises FileNotFoundError where a package is not there."""
    made: dict[str, Fixed] = {}
    for one in CHOSEN:
        top = one.path.partition("/")[0]
        if not (folder / one.path).is_file():
            raise FileNotFoundError(f"{folder / one.path}: install {one.package}=={one.version} there")
        if top not in made:
            made[top] = fix(Options((str(folder / top),), torch_version=TORCH, no_cache=True), unsafe=True)
    return [_section(one, made[one.path.partition("/")[0]], folder) for one in CHOSEN]


def _section(one: Chosen, fixed: Fixed, folder: Path) -> str:
    path = os.path.abspath(folder / one.path)
    only = fixed.without(other for other in fixed.texts if other != path)
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    said = messages(only.made, TORCH, lambda _: one.path)
    whence = f"{one.package} {one.version}, {one.licence}; the file's SHA-256 begins `{digest}`."
    return f"## {one.path}\n\n{one.about} {whence}\n\n```diff\n{unified(only, lambda _: one.path)}```\n" + "".join(
        f"\n```text\n{text}```\n" for text in said
    )


def page(folder: Path) -> str:
    """The page as Markdown."""
    return "\n".join([_HEAD.format(torch=TORCH), *sections(folder)])


def main() -> None:
    """Print the page, write it, or compare it."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--write", action="store_true")
    asked.add_argument("--check", action="store_true")
    given = asked.parse_args()
    text = page(given.folder)
    if given.check:
        sys.exit(int(text != PAGE.read_text(encoding="utf-8")))
    if given.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
