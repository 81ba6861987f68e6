"""`interp.enumerations`: members of enumerations are equal to themselves only, unless they are numbers or texts too."""

from __future__ import annotations

from compilelint.model import Confidence
from tests.support.reveal import check, run

HEAD = """
        import enum
        from enum import Enum

        class Padding(Enum):
            NONE = 0
            SAME = 1

            def widens(self):
                return 3

        class Order(enum.IntEnum):
            FIRST = 1

        class Kind(str, Enum):
            A = "a"
"""


def test_a_member_is_itself_and_no_number() -> None:
    check(
        HEAD
        + """
        def f(x: Tensor):
            reveal_type(Padding.SAME)  # Padding.SAME
            reveal_type(Padding.SAME == Padding.SAME)  # True
            reveal_type(Padding.SAME is Padding.NONE)  # False
            reveal_type(Padding.SAME == 1)  # False
            reveal_type(isinstance(Padding.SAME, Padding))  # True
            reveal_type(isinstance(Padding.SAME, int))  # False
            reveal_type(Padding.SAME.value)  # 1
            reveal_type(Padding.SAME.name)  # 'SAME'
            reveal_type(Padding.SAME.widens())  # 3
            reveal_type({Padding.NONE: "n", Padding.SAME: "s"}[Padding.SAME])  # 's'
        """
    )


def test_members_that_are_numbers_or_texts_are_compared_as_such() -> None:
    check(
        HEAD
        + """
        def f(x: Tensor):
            reveal_type(Order.FIRST + 1)  # 2
            reveal_type(Kind.A == "a")  # True
            reveal_type(isinstance(Order.FIRST, Order))  # bool
        """
    )


def test_an_assertion_on_a_member_does_not_end_the_function() -> None:
    text = """
import enum
from torch import Tensor, nn

class Padding(enum.Enum):
    NONE = 0

class Model(nn.Module):
    def forward(self, x: Tensor, how=Padding.NONE):
        return self.padded(x, Padding.NONE)

    def padded(self, x, how):
        assert isinstance(how, Padding)
        return x.item()
"""
    breaks = [e for e in run({"app.py": text}) if e.breaks]
    assert [e.site.cap for e in breaks] == [Confidence.CERTAIN]
