"""Before and after, as data: each file of `golden/` holds the cases of one family of rewrites.

A case is a heading and one or two Python blocks: what is linted and what the fixes make of it; one block alone means
that nothing may be fixed, and the heading says why. A first line `# roots: auto` asks for these roots.
`python -m tests.fixes.goldens` writes all second blocks again.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from compilelint.config import Options
from compilelint.fixes.engine.laws import Offer
from compilelint.model import Confidence
from compilelint.session.commands.fix import Fixed, fix

FOLDER = Path(__file__).parent / "golden"
_CASE = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!^## ).*\n?)*)", re.MULTILINE)
_ROOTS = re.compile(r"# roots: (\w+)\n")
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Golden:
    """One case; `after` is None where nothing may change."""

    file: str
    title: str
    before: str
    after: str | None

    @property
    def name(self) -> str:
        """What pytest calls it."""
        return f"{self.file}: {self.title}"


def goldens() -> list[Golden]:
    """All cases of all files. Raises ValueError for a case with no block or more than two."""
    return [case for path in sorted(FOLDER.glob("*.md")) for case in cases_of(path)]


def cases_of(path: Path) -> list[Golden]:
    """The cases of one file. Raises ValueError for a case with no block or more than two."""
    found = []
    for match in _CASE.finditer(path.read_text(encoding="utf-8")):
        blocks = _BLOCK.findall(match["body"])
        if len(blocks) not in (1, 2):
            raise ValueError(f"{path.name}: case {match['title']!r} holds {len(blocks)} blocks, wanted 1 or 2")
        found.append(Golden(path.stem, match["title"], blocks[0], blocks[1] if len(blocks) == 2 else None))
    return found


def fixed(text: str, folder: Path, unsafe: bool = True) -> tuple[str, Fixed]:
    """The text with fixes, and what was done: as `check --fix --unsafe-fixes` makes it where all assumptions hold.

    What the text does not show of them, only `fix` makes; the line between is that of `engine/test_laws.py`.
    """
    path = folder / "model.py"
    path.write_text(text, encoding="utf-8")
    with assumed():
        result = fix(options(path), unsafe)
    return (next(iter(result.texts.values()))[1] if result.texts else text), result


def assumed() -> AbstractContextManager[Any]:
    """Take for granted what rewrites assume, as `compilelint fix` does before it runs them."""
    return patch.object(Offer, "unmet", return_value="")


def options(path: Path) -> Options:
    """How goldens are linted: everything is a root, for torch 2.13, and what is merely possible is fixed too."""
    asked = _ROOTS.match(path.read_text(encoding="utf-8"))
    return Options(
        paths=(str(path),),
        roots=(asked[1] if asked else "all",),
        torch_version="2.13",
        min_confidence=Confidence.POSSIBLE,
    )


def main() -> None:
    """Write the second block of every case that has one, from what the fixes make today."""
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for case in cases_of(path):
            with tempfile.TemporaryDirectory() as folder:
                made, _ = fixed(case.before, Path(folder))
            if case.after is not None:
                old, new = (f"```python\n{case.before}```\n\n```python\n{after}```" for after in (case.after, made))
                text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
