"""Every text that a user can be shown, as a list, so that it can be read through in one go.

    python -m benchmarks.messages            # file:line: text, holes of f-strings as {}

Texts are the string literals of the package that hold a blank between words, less docstrings (those of commands are
kept: they are their help), log lines and what only speaks to Python.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "compilelint"
_WORDS = re.compile(r"[A-Za-z`{}][A-Za-z`{},.:;()'-]* [A-Za-z`{(]")
# Speak to Python or to those who generate facts: tables of words, patterns, code.
_PASSED_OVER = ("torchfacts/generate/", "torchfacts/data/", "cli/scaffold.py")


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each, in the order of the file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)} - {
        id(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any("click" in ast.dump(one) for one in node.decorator_list):
            yield node.lineno, ast.get_docstring(node) or ""
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in docs | inner:
                yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(map(str, parts))


def messages() -> Iterator[tuple[str, int, str]]:
    """File (relative to the package), line and text of every message."""
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        if not name.startswith(_PASSED_OVER):
            for line, text in sorted(set(texts(file))):
                if _WORDS.search(text):
                    yield name, line, text


def main() -> int:
    """Print the list."""
    for name, line, text in messages():
        print(f"{name}:{line}: {' '.join(text.split())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
