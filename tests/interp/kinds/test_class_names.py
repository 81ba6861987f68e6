"""What a constructor derives from the name of its class, for each class below it."""

from __future__ import annotations

from tests.support.reveal import check

BASE = """
import re

def causal(x):
    return 1

def masked(x):
    return "masked"

TABLE = {"ForCausal": causal, "ForMasked": masked}

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        kind = self.__class__.__name__
        if kind not in TABLE:
            groups = f"({'|'.join(TABLE)})"
            kind = re.findall(groups, self.__class__.__name__)
            if len(kind) > 0:
                kind = kind[0]
            else:
                kind = None
        self.kind = kind

    @property
    def loss(self):
        if hasattr(self, "_loss"):
            return self._loss
        kind = getattr(self, "kind", None)
        if kind is None or kind not in TABLE:
            print("no such kind")
            kind = "ForCausal"
        return TABLE[kind]
"""


def test_each_class_below_has_the_entry_under_its_own_name() -> None:
    check(
        {
            "base.py": BASE,
            "app.py": """
        from base import Base

        class LampForCausal(Base):
            def forward(self, x: Tensor):
                reveal_type(self.kind)  # str
                reveal_type(self.loss(x))  # 1 | ?

        class LampForMasked(Base):
            def __init__(self, config):
                super().__init__()
                self.config = config

            def forward(self, x: Tensor):
                reveal_type(self.loss(x))  # 'masked' | ?

        class Lamp(Base):
            def forward(self, x: Tensor):
                reveal_type(self.kind)  # None
                reveal_type(self.loss(x))  # 1 | ?
            """,
        }
    )


def test_type_of_self_is_asked_like_the_class() -> None:
    check("""
        TABLE = {"First": 1, "Second": "two"}

        class Base:
            def __init__(self):
                self.held = TABLE.get(type(self).__name__)

        class First(Base):
            def read(self, x: Tensor):
                reveal_type(self.held)  # int

        class Second(Base):
            def read(self, x: Tensor):
                reveal_type(self.held)  # str
    """)


def test_a_pattern_that_repeats_is_not_run() -> None:
    check("""
        import re

        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.found = re.findall("(B+)+$", self.__class__.__name__)

        class B(Base):
            def forward(self, x: Tensor):
                reveal_type(self.found)  # list[?]
    """)
