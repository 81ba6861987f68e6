"""What operators make of values: types, dtypes and ranks, what is folded, and how sure the result is a tensor."""

from __future__ import annotations

import pytest

from compilelint.interp.kinds.binary_operators import promote
from tests.support.reveal import check
from tests.support.worker_messages import check as check_events

PARAMETERS = "x: Tensor, n: int, r: float, b: bool, s: str, u, o: Optional[Tensor], m: Union[Tensor, int]"


def believed(*lines: str) -> None:
    """Fail unless a function of these lines believes what its comments say."""
    body = "\n    ".join(lines)
    check(f"def f({PARAMETERS}):\n    i = torch.zeros(2, 3, dtype=torch.int64)\n    p = torch.zeros(4)\n    {body}\n")


def test_numbers_are_folded_or_known_by_type() -> None:
    believed(
        "reveal_type(2 + 3)  # 5",
        "reveal_type(7 // 2)  # 3",
        "reveal_type(7 % 4)  # 3",
        "reveal_type(1 / 4)  # 0.25",
        "reveal_type(1 / 0)  # ?",
        "reveal_type(2 ** 3)  # int",
        "reveal_type(n + 1)  # int",
        "reveal_type(n / 2)  # float",
        "reveal_type(n * 1.5)  # float",
        "reveal_type(b + 1)  # int",
        "reveal_type(b & (n > 2))  # bool",
        "reveal_type(n + u)  # ?",
        "reveal_type(n + x.shape[0])  # int shape",
        "reveal_type(-3)  # -3",
        "reveal_type(-n)  # int",
    )


def test_flags_that_decide_alone() -> None:
    believed(
        "reveal_type(True | b)  # True",
        "reveal_type(False & b)  # False",
        "reveal_type(False | b)  # bool",
        "reveal_type(True & b)  # bool",
        "reveal_type(True | False)  # True",
        "reveal_type(True & False)  # False",
    )


def test_tensors_meet_tensors_and_numbers() -> None:
    believed(
        "reveal_type(i + 1)  # tensor int 2-d computed",
        "reveal_type(i + 1.5)  # tensor float 2-d computed",
        "reveal_type(i / 2)  # tensor float 2-d computed",
        "reveal_type(i + p)  # tensor float 2-d computed",
        "reveal_type(i + x)  # tensor computed",
        "reveal_type(i + u)  # tensor computed",
        "reveal_type(i > 1)  # tensor bool 2-d computed",
        "reveal_type(i == None)  # bool",
        "reveal_type(i == 'a')  # bool",
        "reveal_type(i == [1, 2])  # bool",
        "reveal_type(-i)  # tensor int 2-d computed",
        "reveal_type((i > 1) & (i < 3))  # tensor bool 2-d computed",
        "reveal_type(p @ p)  # tensor float 0-d computed",
    )


def test_a_tensor_that_may_be_something_else_is_likely_in_what_is_made_of_it() -> None:
    believed(
        "reveal_type(m + 1)  # int | tensor computed likely",
        "reveal_type(m > 1)  # bool | tensor bool computed likely",
        "reveal_type(m + i)  # tensor computed",
        "reveal_type(-m)  # int | tensor computed likely",
        "reveal_type(u > 1)  # ?",
        "reveal_type(u + 1)  # ?",
    )


def test_sequences_and_texts() -> None:
    believed(
        "reveal_type((1, 2) + (x,))  # tuple(1, 2, tensor input)",
        "reveal_type([x] + u)  # ?",
        "reveal_type([x] * n)  # list[tensor input]",
        "reveal_type(n * [x])  # list[tensor input]",
        "reveal_type('a' + s)  # str",
        "reveal_type('%d' % n)  # str",
        "reveal_type({'a': x} | {'a': x})  # dict(a: tensor input)",
    )


def test_identity_and_membership() -> None:
    believed(
        "reveal_type(x is None)  # False",
        "reveal_type(o is None)  # bool",
        "reveal_type(None is not None)  # False",
        "reveal_type(True is True)  # True",
        "reveal_type(s is 'a')  # bool",
        "reveal_type(1 in (1, 2))  # True",
        "reveal_type(3 in (1, 2))  # False",
        "reveal_type(3 not in (1, 2))  # True",
        "reveal_type(n in (1, 2))  # bool",
        "reveal_type(1 in (n, 2))  # bool",
        "reveal_type('a' in {'a': 1})  # True",
        "reveal_type('b' in {'a': 1})  # False",
        "reveal_type('b' not in {'a': 1})  # True",
        "reveal_type(torch.float32 == torch.float32)  # True",
        "reveal_type(torch.float32 != torch.float16)  # True",
        "reveal_type(torch.float32 == torch.float16)  # bool",
    )


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ("int", "float", "float"),
        ("bool", "int", "int"),
        ("complex", "float", "complex"),
        ("", "int", ""),
        ("int", "", ""),
    ],
)
def test_promotion(a: str, b: str, result: str) -> None:
    assert promote(a, b) == result == promote(b, a)


@pytest.mark.parametrize(
    "line",
    [
        "'%s' % x  # syntax % of tensor",
        "'%d %s' % (1, x)  # syntax % of tensor",
        "'%d' % len(d)",
        "3 in x  # syntax value in tensor",
        "3 in m  # syntax value in tensor",
        "x in [x, x]",
        "x in [1, 4]",
        "x in ['a']",
        "x not in [x, x]  # branch search",
        "x in d",
        "x + Own()  # syntax tensor + Own object",
        "Own() + x  # syntax tensor + Own object",
        "x + Plain()",
        "x - Own()",
        "x < 3 < 5  # branch comparison",
    ],
)
def test_operators_that_end_a_graph(line: str) -> None:
    check_events(f"""
        class Own:
            def __radd__(self, other):
                return 1

        class Plain: ...

        def f(x: Tensor, d: dict, m: Union[Tensor, int]):
            made = {line}
            return x
    """)
