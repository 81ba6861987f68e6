"""Numbers of Python's `random`: a table of uses, and what Dynamo (torch 2.13 and 2.15) was seen to do with each."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

TAKEN = (
    "y = x * n",
    "y = x ** n",
    "y = x[0, 0] + n",
    "y = torch.full((2,), n)",
    "y = torch.tensor([n, 1])",
    "y = x.masked_fill(x > n, n)",
    "y = torch.add(x, n)",
    "m = max(n, 1)",
    "m = abs(n)",
    "m = n > 2",
    "m = f'{n}'",
    "m = (n, [n])",
    "m = isinstance(n, int)",
)
ENDS = (
    ("m = n + 1", "syntax + skipped"),
    ("m = 1 - n", "syntax -"),
    ("m = n // 2", "syntax //"),
    ("n += 1", "syntax +"),
    ("m = -n", "syntax -"),
    ("m = [x] * n", "syntax *"),
    ("m = '%d' % n", "syntax %"),
    ("m = n == random.randint(0, 3)", "syntax =="),
    ("for _ in range(n): pass", "syntax range"),
    ("m = int(n)", "call builtins.int"),
    ("m = float(n)", "call builtins.float"),
    ("m = bool(n)", "call builtins.bool"),
    ("m = round(n)", "call builtins.round"),
    ("m = str(n)", "call builtins.str"),
    ("m = pow(n, 2)", "call builtins.pow"),
    ("m = math.sqrt(n)", "call math.sqrt"),
    ("m = math.floor(n)", "call math.floor"),
    ("if n > 1: pass", "branch if"),
    ("m = n in (1, 2)", "branch search"),
    ("y = x[n]", "index load x[scalar tensor]"),
    ("y = x[:, n:]", "index load x[:n tensor]"),
    ("y = [x, x, x, x][n]", "index load list[scalar tensor]"),
    ("x[n] = 0", "index store x[scalar tensor]"),
    ("x[:n] = 0", "index store x[:n tensor]"),
    ("y = torch.zeros(n)", "index load size"),
    ("y = x.view(n, -1)", "index load size"),
    ("y = x.roll(n, 0)", "call torch.Tensor.roll"),
    ("y = torch.add(x, x, alpha=n)", "call torch.add"),
    ("y = x.clamp(0, n)", "call torch.Tensor.clamp"),
)


@pytest.mark.parametrize("statement", TAKEN)
def test_what_takes_the_number(statement: str) -> None:
    check(f"""
        def f(x: Tensor):
            n = random.randint(1, 3)
            {statement}
    """)


@pytest.mark.parametrize(("statement", "event"), ENDS)
def test_what_ends_the_graph(statement: str, event: str) -> None:
    check(f"""
        def f(x: Tensor):
            n = random.randint(1, 3)
            {statement}  # {event.removesuffix(" skipped")}
    """)


@pytest.mark.parametrize("draw", ["random.uniform(0, 1)", "random.randrange(4)"])
def test_each_function_that_is_traced(draw: str) -> None:
    check(f"""
        def f(x: Tensor):
            n = {draw}
            m = n * 2  # syntax *
    """)


def test_behind_a_break_it_is_a_plain_number() -> None:
    check("""
        def f(x: Tensor):
            n = random.randint(1, 3)
            print("drawn")  # call builtins.print
            if n > 1:
                x = x + 1
            return x[: n + 1]

        def g(x: Tensor):
            n = random.randint(1, 3)
            if n > 1:  # branch if
                x = x + 1
            if n > 2:
                x = x + 2
            return x
    """)


def test_behind_arithmetic_the_frame_is_left_to_python() -> None:
    check("""
        def f(x: Tensor):
            n = random.randint(1, 3)
            m = n + 1  # syntax +
            k = x.sum().item()  # call torch.Tensor.item skipped
            return x * m * k
    """)


def test_where_a_plain_number_may_be_instead_arithmetic_is_not_judged() -> None:
    check("""
        def f(x: Tensor, training: bool):
            n = 2
            if training:
                n = random.randint(1, 3)
            m = n + 1
            return x * m
    """)


def test_what_numpy_makes_of_it_is_read_as_a_size_too() -> None:
    check("""
        def f(x: Tensor):
            n = np.clip(random.randint(1, 3), 0, 2)
            y = x * n
            return x[:n]  # index load x[:n tensor] likely
    """)
