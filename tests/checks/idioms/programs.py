"""The programs of `rules/idioms`: by idiom, what a user writes and what the help proposes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PRELUDE = "import math\nimport sys\nimport threading\nfrom typing import List\n\nimport numpy as np\nimport torch\n\n\n"
_FOLDER = Path(__file__).parents[3] / "rules" / "idioms"
_SECTION = re.compile(r"^## ([\w-]+)(?:: ([^\n]+))?\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Program(NamedTuple):
    """One block: `idiom` names what it shows, `form` which of its forms."""

    idiom: str
    form: str
    text: str

    @property
    def title(self) -> str:
        return f"{self.idiom}: {self.form}" if self.form else self.idiom

    @property
    def source(self) -> str:
        """The block as a module."""
        return PRELUDE + self.text


def programs() -> dict[str, Program]:
    """All programs, by title. Raises ValueError for a section that is no program, or stands twice."""
    found: dict[str, Program] = {}
    for path in sorted(_FOLDER.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        sections = [Program(*parts) for parts in _SECTION.findall(text)]
        if len(sections) != text.count("\n## "):
            raise ValueError(f"{path.name}: a section has a name and one Python block")
        for one in sections:
            if found.setdefault(one.title, one) is not one:
                raise ValueError(f"{path.name}: {one.title} stands twice")
    return found
