"""`fixes.engine.plain`: what is made of the text alone is what LibCST's tree gives, and the rest is left to it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.plain import lines_of
from compilelint.fixes.rewrites import branches, compiling_guards
from compilelint.model import Finding, Span
from compilelint.session.commands.lint import lint
from compilelint.session.fixing.propose import with_fixes
from compilelint.syntax.source import Source
from tests.fixes.goldens import Golden, assumed, goldens, options

# Bodies of `forward(self, x, y)`, beginning with what the text alone can say.
PLAIN = {
    "one arm": "if x.sum() > 0:\n    x = x + 1\nreturn x",
    "two arms": "if x.sum() > 0:\n    x = x + 1\nelse:\n    x = (x - 1)\nreturn x",
    "arms of several": "z = x\nif x.sum() > 0:\n    t = x * 2\n    z = t + 1\nelse:\n    z = x * 3\nreturn z",
    "different names": "z = w = x\nif x.max() > 0:\n    z = x + 1\nelse:\n    w = x * 2\nreturn z + w",
    "an atom": "if x.any():\n    x = x + 1\nreturn x",
    "not": "if not x.any():\n    x = x + 1\nreturn x",
    "not of parentheses": "if not (x.sum() > 0):\n    x = x + 1\nreturn x",
    "not flat": "if x > 0:\n    x = x + 1\nreturn x",
    "a print": "print(x)\nreturn x",
    "a call of several lines": "print(\n    x,\n    'text',\n)\nreturn x",
    "a lookalike line": "log.info('%s', x if y is None\n    else y)\nreturn x",
    "a check": "if x.sum() > 0:\n    raise ValueError('positive')\nreturn x",
    "a check with a remark": "if x.sum() > 0:  # why\n    raise ValueError('positive')  # and how\nreturn x",
    "a check of two": "if x.sum() > 0 or y.any():\n    raise ValueError\nreturn x",
    "a check that speaks": "if x.sum() > 0:\n    print('positive')\nreturn x",
    "a remark asked for": "if y is not None:\n    print('given')\nreturn x",
    "a gradient": "y = x * 2\ny.requires_grad = True\nreturn y",
    "deeper": "for i in range(2):\n    if y is None:\n        print(x)\n        x = x + 1\nreturn x",
}
UNPLAIN = {
    "a comment behind": "if x.sum() > 0:  # why\n    x = x + 1\nreturn x",
    "a comment between": "if x.sum() > 0:\n    # why\n    x = x + 1\nreturn x",
    "a comment in the text": "print(x, '#')\nreturn x",
    "a blank line": "if x.sum() > 0:\n\n    x = x + 1\nreturn x",
    "parentheses": "if (x.sum() > 0):\n    x = x + 1\nreturn x",
    "two spaces": "if  x.sum() > 0:\n    x = x  +  1\nreturn x",
    "no space": "if(x.sum() > 0):\n    x = x + 1\nreturn x",
    "a chain": "if 0 < x.sum() < 1:\n    x = x + 1\nreturn x",
    "not without a space": "if not(x.any()):\n    x = x + 1\nreturn x",
    "two pairs of parentheses": "if not ((x.any())):\n    x = x + 1\nreturn x",
    "one line": "if x.sum() > 0: x = x + 1\nreturn x",
    "two on a line": "print(x); x = x + 1\nreturn x",
    "a semicolon": "print(x);\nreturn x",
    "a continuation": "print(x, \\\n    y)\nreturn x",
    "a text of lines": "print('''a\n  b''')\nreturn x",
    "a value of lines": "if x.sum() > 0:\n    x = (x\n        + 1)\nreturn x",
    "an odd assignment": "if x.sum() > 0:\n    x=x + 1\nreturn x",
    "an elif": "if y is None:\n    x = x + 2\nelif x.sum() > 0:\n    x = x + 1\nreturn x",
    "letters beyond ASCII": "if x.sum() > 0:\n    print('é', x)\nreturn x",
    "space behind": "print(x) \nreturn x",
}
HEAD = "import logging\n\nimport torch\n\nlog = logging.getLogger(__name__)\n\n\nclass M(torch.nn.Module):\n"
HEAD += "    def forward(self, x: torch.Tensor, y=None):\n"


def program(body: str) -> str:
    return HEAD + "".join(f"        {line}\n" if line else "\n" for line in body.split("\n"))


def offered(text: str, folder: Path) -> tuple[Finding, ...]:
    path = folder / "model.py"
    path.write_text(text, encoding="utf-8")
    with assumed():  # else most choices wait for a proof
        return with_fixes(lint(options(path)).findings)


def by_trees(text: str, folder: Path) -> tuple[Finding, ...]:
    """What is offered where LibCST does all of it."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (branches, compiling_guards):
            patch.setattr(module, "lines_of", lambda statement, code: None)
        return offered(text, folder)


@pytest.mark.parametrize("body", PLAIN.values(), ids=PLAIN)
def test_text_alone_gives_what_trees_give(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = by_trees(program(body), tmp_path)
    assert any(finding.fix is not None for finding in wanted)
    monkeypatch.setattr(Code, "piece", lambda *given: pytest.fail("LibCST is asked"))
    assert offered(program(body), tmp_path) == wanted


@pytest.mark.parametrize("body", UNPLAIN.values(), ids=UNPLAIN)
def test_what_is_not_plain_is_left_to_trees(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = by_trees(program(body), tmp_path)
    assert wanted
    asked: list[ast.stmt] = []
    piece = Code.piece

    def spy(code: Code, statement: ast.stmt, span: Span) -> object:
        asked.append(statement)
        return piece(code, statement, span)

    monkeypatch.setattr(Code, "piece", spy)
    assert offered(program(body), tmp_path) == wanted
    assert asked


@pytest.mark.parametrize("case", goldens(), ids=lambda case: case.name)
def test_goldens_are_the_same_either_way(case: Golden, tmp_path: Path) -> None:
    assert offered(case.before, tmp_path) == by_trees(case.before, tmp_path)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("f(x)\n", ("f(x)",)),
        ("f(\n  x)  # why\n", ("f(", "  x)  # why")),
        ("f(x); g(x)\n", None),
        ("if x:\n  pass\nelif y:\n  pass\n", ("if x:", "  pass", "elif y:", "  pass")),
        ("f('é')\n", None),
        ("f(\n" + "x,\n" * 50 + ")\n", None),
    ],
    ids=["alone", "lines and a comment", "shared", "a chain of tests", "letters", "long"],
)
def test_lines_are_those_of_one_statement(text: str, found: tuple[str, ...] | None) -> None:
    tree = ast.parse(text)
    lines = lines_of(tree.body[0], Code(Source("m.py", text, ascii=text.isascii()), tree))
    assert (None if lines is None else lines.lines) == found
