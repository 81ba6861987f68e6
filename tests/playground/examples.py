"""The playground's examples, and everything that is answered about them."""

from __future__ import annotations

import json
from pathlib import Path

from playground.python.answers import Answers

EXAMPLES = sorted((Path(__file__).parents[2] / "playground" / "src" / "examples").glob("*.py"))


def answers_of_examples() -> str:
    """Findings, fixes and beliefs of each example, as JSON."""
    answers = Answers()
    found = []
    for file in EXAMPLES:
        text = file.read_text("utf-8")
        line = text[: text.index("return")].count("\n") + 1
        found.append([file.stem, answers.check(text, ""), answers.fixes(), answers.hover(line, 18)])
    return json.dumps(found, indent=0)
