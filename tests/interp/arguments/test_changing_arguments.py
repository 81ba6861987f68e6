"""What a loop around the calls of a compiled function changes; measured on torch 2.13 it costs 8 versions, or 2."""

from __future__ import annotations

import pytest

from compilelint.events import Event, InputGuard
from compilelint.interp import Interpreter, roots_of
from tests.support.reveal import facts, program_of, sources

UNROLLED = "@torch.compile\ndef f(x, n):\n    for _ in range(n):\n        x = x + 1\n    return x\n"
CHOSEN = '@torch.compile\ndef f(x, name):\n    if name == "a":\n        return x\n    return x + 1\n'
PLAIN = "@torch.compile\ndef f(x):\n    return x * 2\n"


def guards(compiled: str, loop: str) -> list[tuple[str, str, int]]:
    """Of each argument that a loop is seen to change: how, its name, and the line of the loop in `loop`."""
    seen: list[Event] = []
    program, modules = program_of(sources(f"{compiled}\nx = torch.ones(2)\n{loop}"))
    interpreter = Interpreter(program, facts(), seen.append)
    interpreter.analyse(roots_of(interpreter, modules, ("auto",)))
    first = compiled.count("\n") + 4  # lines before `loop`: the prelude, a blank one, `x = ...`
    return [
        (e.how, e.name, e.loop.span.line - first + 1) for e in seen if isinstance(e, InputGuard) and e.loop is not None
    ]


@pytest.mark.parametrize(
    "loop",
    [
        pytest.param("for i in range(9):\n    f(x, i)", id="the target"),
        pytest.param("for i, y in enumerate(data):\n    f(y, i)", id="one of several targets"),
        pytest.param("for i in range(9):\n    f(x, n=i)", id="by keyword"),
        pytest.param("for i in range(9):\n    f(x, 2 * i + 1)", id="computed from it"),
        pytest.param("i = 0\nwhile i < 9:\n    f(x, i)\n    i += 1", id="counted in the body"),
        pytest.param("def main(x):\n    for i in range(9):\n        f(x, i)\nmain(x)", id="in a function"),
    ],
)
def test_a_number_that_a_loop_counts(loop: str) -> None:
    (found,) = guards(UNROLLED, loop)
    assert found[:2] == ("number", "n")


def test_the_loop_is_named() -> None:
    assert guards(UNROLLED, "for i in range(9):\n    f(x, i)") == [("number", "n", 1)]
    assert guards(UNROLLED, "for e in range(3):\n    for i in range(9):\n        f(x, i)") == [("number", "n", 2)]


def test_a_text_from_a_list() -> None:
    (found,) = guards(CHOSEN, 'for name in ["a", "b"]:\n    f(x, name)')
    assert found[:2] == ("text", "name")


def test_a_tensor_that_is_concatenated_to_itself() -> None:
    (found,) = guards(PLAIN, "for _ in range(9):\n    y = f(x)\n    x = torch.cat([x, y])")
    assert found[:2] == ("longer", "x")


@pytest.mark.parametrize(
    ("compiled", "loop"),
    [
        pytest.param(UNROLLED, "n = 3\nfor _ in range(9):\n    f(x, n)", id="the same number in every call"),
        pytest.param(UNROLLED, "f(x, 3)", id="no loop"),
        pytest.param(UNROLLED, "for i in range(9):\n    x = x + i\nf(x, 3)", id="a call after the loop"),
        pytest.param(UNROLLED, "for i in range(9):\n    f(x, len(sizes))", id="nothing of the loop"),
        pytest.param(PLAIN, "for batch in batches:\n    f(batch)", id="tensors of a loader"),
        pytest.param(PLAIN, "for _ in range(9):\n    y = f(x)\n    x = torch.cat([x, y])[-3:]", id="cut to a length"),
        pytest.param(PLAIN, "for _ in range(9):\n    y = f(x)\n    z = torch.cat([x, y])", id="another tensor"),
        pytest.param(
            "@torch.compile\ndef f(x, n):\n    return x * n\n",
            "for i in range(9):\n    f(x, i)",
            id="a number that decides nothing becomes dynamic",
        ),
    ],
)
def test_near_misses(compiled: str, loop: str) -> None:
    assert guards(compiled, loop) == []
