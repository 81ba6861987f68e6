"""The texts of a project, what they are for, and what relative imports mean in them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from compilelint.session.building.sources import Kind, Source, sources_in

NOTEBOOK = '{"cells": [{"cell_type": "code", "source": "%matplotlib inline\\nx = 1", "metadata": {}}], "metadata": {}}'
FILES = {
    "pkg/net.py": "x = 1\n",
    "pkg/__init__.py": "",
    "tests/test_net.py": "x = 1\n",
    "train.py": 'if __name__ == "__main__": pass\n',
    "broken.py": "def f(:\n",
    "demo.ipynb": NOTEBOOK,
}


def test_each_text_has_its_kind_and_its_module(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "README.md").write_text("```python\n>>> x = 1\n... y\nno code\n```\n```sh\nls\n```\n", encoding="utf-8")
    found = sources_in(str(tmp_path), [str(tmp_path / name) for name in FILES])
    assert [(one.path, one.module, one.kind) for one in found] == [
        ("README.md", "", Kind.DOCUMENT),
        ("pkg/net.py", "pkg.net", Kind.LIBRARY),
        ("pkg/__init__.py", "pkg", Kind.LIBRARY),
        ("tests/test_net.py", "tests.test_net", Kind.TEST),
        ("train.py", "train", Kind.SCRIPT),
        ("demo.ipynb", "", Kind.SCRIPT),
    ]


@pytest.mark.parametrize(
    ("line", "package", "module"),
    [
        ("from .a import b", False, "pkg.a"),
        ("from . import b", False, "pkg"),
        ("from ..a import b", False, "a"),
        ("from .a import b", True, "pkg.net.a"),
        ("from a.b import c", False, "a.b"),
    ],
)
def test_relative_imports_are_seen_from_the_source(line: str, package: bool, module: str) -> None:
    source = Source("pkg/net.py", "pkg.net", ast.parse(line), Kind.LIBRARY, package)
    node = source.tree.body[0]
    assert isinstance(node, ast.ImportFrom)
    assert source.absolute(node) == module
