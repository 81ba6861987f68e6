"""Which sides of a change must have run: read from both texts, against what a watch saw of real runs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from compilelint.dynamic.sides import Seen, seen_from, sides

pytestmark = pytest.mark.dynamo


def missed(tmp_path: Path, old: str, new: str, calls: Iterable[Any]) -> list[str]:
    """The words of all sides that did not happen when `f` of both texts is called with each of `calls`."""
    texts = [textwrap.dedent(one).lstrip("\n") for one in (old, new)]
    seen = [watched(tmp_path / f"text{number}.py", text, calls) for number, text in enumerate(texts)]
    return [one.words for one in sides(texts[0], texts[1], seen[0], seen[1]) if not one.happened]


def watched(path: Path, text: str, calls: Iterable[Any]) -> Seen:
    from compilelint.dynamic.worker.coverage import Watch

    path.write_text(text, encoding="utf-8")
    program: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), program)
    with Watch((str(path.parent),)) as watch:
        for one in calls:
            program["f"](one)
    found = watch.seen().get(str(path))
    return Seen() if found is None else seen_from(found)


BRANCH = """
    import torch

    def f(x):
        x = torch.as_tensor(x)
        if x > 0:
            x = x + 1
        return x
"""
CHOSEN = """
    import torch

    def f(x):
        x = torch.as_tensor(x)
        x = torch.where(x > 0, x + 1, x)
        return x
"""
UP, DOWN = 1.0, -1.0


def test_both_sides_of_a_branch_and_of_its_choice_were_seen(tmp_path: Path) -> None:
    assert missed(tmp_path, BRANCH, CHOSEN, [UP, DOWN]) == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        pytest.param(
            UP, ["`x > 0` was false", "`torch.where(x > 0, x + 1, x)` chose its other side"], id="only the true side"
        ),
        pytest.param(
            DOWN,
            ["`x > 0` was true", "`x = x + 1` ran", "`torch.where(x > 0, x + 1, x)` chose its first side"],
            id="only the false side",
        ),
    ],
)
def test_a_side_that_never_ran_is_named(tmp_path: Path, call: Any, words: list[str]) -> None:
    assert sorted(missed(tmp_path, BRANCH, CHOSEN, [call])) == sorted(words)


@pytest.mark.parametrize("test", ["x", "bool(x)", "x > 0", "x and x > 0"])
def test_a_test_of_any_kind_without_an_other_side_must_be_seen_false(tmp_path: Path, test: str) -> None:
    old = f"def f(x):\n    if {test}:\n        x = x + 1\n    return x\n"
    new = "def f(x):\n    return x + 1\n"
    assert f"`{test}` was false" in missed(tmp_path, old, new, [2])
    assert f"`{test}` was false" not in missed(tmp_path, old, new, [2, 0])


def test_the_sides_of_a_conditional_expression_are_distinguished_on_one_line(tmp_path: Path) -> None:
    old = """
        def f(x):
            return x + 1 if x > 0 else x - 1
    """
    new = """
        def f(x):
            return x + 1 if x > 0 else x - 2
    """
    text = "`x + 1 if x > 0 else x - {}` took its other side"
    assert missed(tmp_path, old, new, [1]) == [text.format(1), text.format(2)]
    assert missed(tmp_path, old, new, [1, -1]) == []


def test_a_loop_that_skips_has_both_ways(tmp_path: Path) -> None:
    old = """
        def f(x):
            for number in range(2):
                if x > 0 and number < x:
                    continue
                x = x + 1
            return x
    """
    new = old.replace("number < x", "x > number")
    tests = ["`x > 0 and number < x`", "`x > 0 and x > number`"]
    ways = ("was false", "was decided early")
    assert missed(tmp_path, old, new, [5]) == [f"{test} {way}" for test in tests for way in ways]
    assert missed(tmp_path, old, new, [5, -5]) == []


def test_what_only_the_compiler_sees_is_left_to_the_compiled_run(tmp_path: Path) -> None:
    new = """
        import torch

        def f(x):
            x = torch.as_tensor(x)
            if torch.compiler.is_compiling():
                return torch.where(x > 0, x + 1, x)
            if x > 0:
                x = x + 1
            return x
    """
    assert missed(tmp_path, BRANCH, new, [UP]) == []


def test_a_function_that_only_compiled_code_calls_is_left_to_it_too(tmp_path: Path) -> None:
    old = """
        import torch

        def f(x):
            return abs(x)
    """
    new = """
        import torch

        def compiled(x):
            return x if x > 0 else -x

        def f(x):
            return compiled(x) if torch.compiler.is_compiling() else abs(x)
    """
    assert missed(tmp_path, old, new, [UP]) == []
    assert missed(tmp_path, old, new.replace(" if torch.compiler.is_compiling() else abs(x)", ""), [UP]) != []


OPERATOR = """
    import torch

    @torch.library.custom_op("sides_{name}::made", mutates_args=())
    def made(x: torch.Tensor) -> torch.Tensor:
        return halved(x) if x > 0 else -x

    def halved(x):
        return x / 2

    def backward(ctx, gradient):
        return gradient if gradient > 0 else -gradient

    made.register_autograd(backward)
    made.register_effect(torch.library.EffectType.ORDERED)

    def f(x):
        x = torch.as_tensor(x)
        return made(x) if torch.compiler.is_compiling() else x
"""


def test_what_is_only_reached_through_an_operator_of_compiled_code_is_left_to_it(tmp_path: Path) -> None:
    old = "import torch\n\n\ndef f(x):\n    return torch.as_tensor(x)\n"
    assert missed(tmp_path, old, OPERATOR.format(name="compiled"), [UP]) == []


@pytest.mark.parametrize(
    ("name", "here", "instead"),
    [
        ("eager", "made(x) if torch.compiler.is_compiling() else x", "made(x)"),
        ("helper", "else x", "else x + 0 * halved(x) if x < 0 else x"),
        ("hook", "made.register_autograd(backward)", "HOOKS = [backward]"),
    ],
)
def test_what_eager_code_may_come_to_as_well_must_run(name: str, here: str, instead: str, tmp_path: Path) -> None:
    old = "import torch\n\n\ndef f(x):\n    return torch.as_tensor(x)\n"
    new = OPERATOR.format(name=name)
    assert here in new
    assert missed(tmp_path, old, new.replace(here, instead), [UP]) != []


def test_imports_and_headers_need_no_run(tmp_path: Path) -> None:
    old = "def f(x):\n    return x\n"
    assert missed(tmp_path, old, "import math\n\n\ndef f(x):\n    return x\n", []) == []
