"""What parts import of each other."""

from __future__ import annotations

import pytest

from compilelint.session.parallel.importance import Imports, imports
from compilelint.session.pipeline.inputs import Linted


def linted(dotted: str, is_package: bool = False) -> Linted:
    return Linted(f"/{dotted}", dotted, is_package, 1, False, False)


@pytest.mark.parametrize(
    ("text", "count", "modules"),
    [
        pytest.param("import shop.ops", 1, {"shop.ops"}, id="by its whole name"),
        pytest.param("from shop.ops import a, b", 1, {"shop.ops"}, id="a name of it"),
        pytest.param("from shop.ops.inner import a", 1, {"shop.ops"}, id="something below it"),
        pytest.param("from ..ops import a", 1, {"shop.ops"}, id="relative"),
        pytest.param(
            "def f():\n    from shop import ops\n    from shop.ops import b", 1, {"shop.ops"}, id="in a function"
        ),
        pytest.param("from shop.ops import a\nimport shop.ops", 1, {"shop.ops"}, id="a file counts once"),
        pytest.param("from .other import a", 0, set(), id="of the same part"),
        pytest.param("import torch", 0, set(), id="of no part"),
        pytest.param("from ........ import a", 0, set(), id="from above everything"),
    ],
)
def test_what_a_part_imports(text: str, count: int, modules: set[str]) -> None:
    parts = [[linted("shop.model.net"), linted("shop.model.other")], [linted("shop.ops", is_package=True)]]
    texts = {"shop.model.net": text}
    found = imports(parts, lambda file: texts.get(file.dotted, ""))
    assert found == Imports([[0, count], [0, 0]], frozenset(modules))
    assert (found.of(0), found.of(1)) == (0, count)


def test_what_imports_most_of_what_is_left_comes_first() -> None:
    # 0 imports of 2 alone; 1 of both; 2 of nothing. Once 1 is done, 0 has more to import than 2.
    found = Imports([[0, 0, 1], [3, 0, 1], [0, 2, 0]], frozenset())
    assert found.turns([0, 1, 2]) == [1, 0, 2]
    assert found.turns([2, 0]) == [0, 2]
    assert found.turns([]) == []
