"""Which parts the others import most."""

from __future__ import annotations

import pytest

from compilelint.session.parallel.importance import importers
from compilelint.session.pipeline.inputs import Linted


def linted(dotted: str, is_package: bool = False) -> Linted:
    return Linted(f"/{dotted}", dotted, is_package, 1, False, False)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        pytest.param("import shop.ops", [0, 1], id="by its whole name"),
        pytest.param("from shop.ops import a, b", [0, 1], id="a name of it"),
        pytest.param("from shop.ops.inner import a", [0, 1], id="something below it"),
        pytest.param("from ..ops import a", [0, 1], id="relative"),
        pytest.param("def f():\n    from shop import ops\n    from shop.ops import b", [0, 1], id="in a function"),
        pytest.param("from shop.ops import a\nimport shop.ops", [0, 1], id="a file counts once"),
        pytest.param("from .other import a", [0, 0], id="of the same part"),
        pytest.param("import torch", [0, 0], id="of no part"),
        pytest.param("from ........ import a", [0, 0], id="from above everything"),
    ],
)
def test_who_imports_a_part(text: str, counts: list[int]) -> None:
    parts = [[linted("shop.model.net"), linted("shop.model.other")], [linted("shop.ops", is_package=True)]]
    texts = {"shop.model.net": text}
    assert importers(parts, lambda file: texts.get(file.dotted, "")) == counts


def test_of_a_large_part_some_files_are_looked_at() -> None:
    looked: list[str] = []

    def text_of(file: Linted) -> str:
        looked.append(file.dotted)
        return "import b"

    assert importers([[linted(f"a{n}") for n in range(1000)], [linted("b")]], text_of)[1] == len(looked) - 1
    assert len(looked) < 100
