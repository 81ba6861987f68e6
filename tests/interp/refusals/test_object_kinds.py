"""Objects of a known kind: what the measured table says of an operation is an event, or none.

Each program was run under TorchDynamo 2.13 and 2.15 by the generator of the table, an operation at a time.
"""

from __future__ import annotations

import pytest

from tests.support.reveal import check as believes
from tests.support.worker_messages import check

ENDS = (
    ("a[0]", "syntax array.array[...]"),
    ("len(a)", "syntax len(array.array)"),
    ("a * 2", "syntax array.array * 2 skipped"),
    ("a == a", "syntax array.array == array.array"),
    ("a == other", "syntax array.array == object"),
    ("a.append(1)", "call array.array.append"),
    ("3 in a", "syntax 3 in array.array"),
    ("[i for i in a]", "syntax for ... in array.array in comprehension"),
)
TRACED = ("a is None", "str(a)", "a + a", "a.typecode", "type(a)", "callable(a)", "hash(other)", "other == 1")


@pytest.mark.parametrize(("code", "event"), ENDS)
def test_an_array_is_opaque(code: str, event: str) -> None:
    check(f"""
        import array

        def f(x: Tensor, a: array.array, other):
            y = {code}  # {event.removesuffix(" skipped")}
            return x
    """)


@pytest.mark.parametrize("code", TRACED)
def test_what_is_traced_is_no_event(code: str) -> None:
    check(f"""
        import array

        def f(x: Tensor, a: array.array, other):
            y = {code}
            return x
    """)


def test_stores_and_deletions() -> None:
    check("""
        import array

        def f(x: Tensor, a: array.array):
            a[0] = 2  # call array.array.__setitem__
            return x

        def g(x: Tensor, a: array.array):
            del a[0]  # syntax del array.array[...]
            return x

        def h(x: Tensor, a: array.array):
            a *= 2  # syntax array.array *= 2
            return x
    """)


def test_what_cannot_be_made_in_the_graph_comes_from_outside() -> None:
    check("""
        import array

        def f(x: Tensor):
            a = array.array("i", [1])  # call array.array
            return x * len(a)  # syntax len(array.array)
    """)


def test_an_attribute_of_a_module_and_a_global() -> None:
    check("""
        import decimal

        RATE = decimal.Decimal("1.5")

        class M(nn.Module):
            def __init__(self):
                super().__init__()
                self.rate = decimal.Decimal("1.5")

            def forward(self, x):
                if self.rate < 2:
                    x = x * 2
                name = str(self.rate)  # syntax str(decimal.Decimal)
                return x * RATE.as_integer_ratio()[0]  # call decimal.Decimal.as_integer_ratio
    """)


def test_annotations_name_kinds() -> None:
    believes("""
        import array
        import decimal

        def f(x: Tensor, a: array.array, rate: decimal.Decimal, thing: "array.other"):
            reveal_type(a)  # instance array.array
            reveal_type(rate)  # instance decimal.Decimal
            reveal_type(thing)  # ?
    """)
