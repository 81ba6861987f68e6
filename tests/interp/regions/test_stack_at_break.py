"""What lies on the stack while a graph ends in a call. Every program was run under torch 2.13 and 2.15."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

WAITS = "add() behind a graph break in its arguments"
MADE = "method {} of an object made here, on the stack at a graph break"
PRELUDE = """
from functools import partial

def rest(x: Tensor):
    print("a")  # call builtins.print
    return x

class Held:
    def __init__(self, x):
        self.x = x

    def noted(self):
        print("b")  # call builtins.print
        return self.x

    def twice(self, y=1):
        return self.x * 2 + y

    def outer(self):
        return self.noted()

    def __call__(self):
        print("c")  # call builtins.print
        return self.x

    @classmethod
    def of_class(cls, x):
        print("d")  # call builtins.print
        return x

def handed(do, x):
    print("e")  # call builtins.print
    return do() + x

"""


def program(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{PRELUDE}def f(x: Tensor):\n{lines}"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"return x.add(rest(x))  # syntax {WAITS}", id="an argument"),
        pytest.param(f"return x.add(other=rest(x))  # syntax {WAITS}", id="by name"),
        pytest.param(f"return x.exp().add(x.mean() + rest(x))  # syntax {WAITS}", id="in a part of an argument"),
        pytest.param(f"h = Held(x)\nreturn h.noted()  # syntax {MADE.format('noted')}", id="the method itself"),
        pytest.param(f"return Held(x).noted()  # syntax {MADE.format('noted')}", id="without a name"),
        pytest.param(f"rest(x)\nh = Held(x)\nreturn h.noted()  # syntax {MADE.format('noted')}", id="behind a break"),
        pytest.param(f"return Held(x).outer()  # syntax {MADE.format('outer')}", id="deeper, and only once"),
        pytest.param(f"h = Held(x)\nreturn h.twice(rest(x))  # syntax {MADE.format('twice')}", id="its argument"),
        pytest.param(f"h = Held(x)\nreturn handed(h.twice, x)  # syntax {MADE.format('twice')}", id="given to a call"),
    ],
)
def test_a_method_on_the_stack(body: str) -> None:
    check(program(body), roots=("all",))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("y = rest(x)\nreturn x.add(y)", id="computed before"),
        pytest.param("return torch.add(x, rest(x))", id="a function"),
        pytest.param("return x + rest(x)", id="an operator"),
        pytest.param("return x.add(Held(x).twice())", id="no graph ends"),
        pytest.param("h = Held(x)\ny = rest(x)\nreturn h.twice(y)", id="called afterwards"),
        pytest.param("h = Held(x)\nprint('f')  # call builtins.print\nreturn h.noted()", id="made before a break"),
        pytest.param("h = Held(x)\nrest(x)\nreturn h.noted()", id="made before a call that breaks"),
        pytest.param("return Held(x)()", id="a call of the object"),
        pytest.param("return Held(x).of_class(x)", id="a class method"),
        pytest.param("return handed(lambda: x, x)", id="a lambda"),
        pytest.param("return handed(partial(torch.add, x, x), x)", id="a partial"),
        pytest.param("return x.add(x.sum().item())  # call torch.Tensor.item", id="on the line itself"),
    ],
)
def test_what_is_rebuilt_or_not_there(body: str) -> None:
    check(program(body), roots=("all",))


def test_what_a_function_is_given_comes_from_outside() -> None:
    through = "def through(h: Held):\n    return h.noted()\n\n"
    check(f"{PRELUDE}{through}def f(x: Tensor):\n    return through(Held(x))\n", roots=("all",))
