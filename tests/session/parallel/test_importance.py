"""What parts import of each other."""

from __future__ import annotations

import pytest

from compilelint.session.parallel.importance import Imports, Plan, imports, room_beside
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
    assert found == Imports([[0, count], [0, 0]], dict.fromkeys(modules, frozenset({0, 1})))
    assert (found.of(0), found.of(1)) == (0, count)


def test_a_file_counts_for_the_first_part_that_it_lies_in() -> None:
    net, ops = linted("shop.net"), linted("shop.ops")
    found = imports([[net], [ops], [net, ops]], lambda file: "import shop.ops" if file is net else "")
    assert found.counts == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert found.turns([0, 1, 2]) == [0, 1, 2], "what holds files of all once more comes last"


def test_what_others_import_most_is_kept_as_far_as_there_is_room() -> None:
    found = Imports([[0, 1, 1], [1, 0, 5], [0, 0, 0]], {})
    assert found.plan([5, 5, 5], 9) == (frozenset({2}), {2: 0, 0: 1, 1: 2})
    assert found.plan([5, 5, 50], 9) == (frozenset({0}), {0: 0, 1: 1, 2: 2}), "too large to be kept"
    assert [room_beside(room, 10, [3, 4, 5]) for room in (12, 11, 4)] == [12, 5, 4]


def test_the_largest_of_the_last_comes_first_where_processes_share_the_parts() -> None:
    plan = Plan(frozenset({4}), {4: 0, 0: 1, 1: 2, 2: 3, 3: 4})
    sizes = [1, 5, 2, 9, 3]
    assert list(plan.shared_by(1, sizes)) == [4, 0, 3, 1, 2]
    assert list(plan.shared_by(2, sizes)) == [4, 3, 1, 2, 0], "what is kept stays in front"


def test_what_imports_most_of_what_is_left_comes_first() -> None:
    # 0 imports of 2 alone; 1 of both; 2 of nothing. Once 1 is done, 0 has more to import than 2.
    found = Imports([[0, 0, 1], [3, 0, 1], [0, 2, 0]], {})
    assert found.turns([0, 1, 2]) == [1, 0, 2]
    assert found.turns([2, 0]) == [0, 2]
    assert found.turns([]) == []
