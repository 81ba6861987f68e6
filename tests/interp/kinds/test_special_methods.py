"""Special methods that a class of the program writes are entered where the language calls them."""

from __future__ import annotations

import pytest

from tests.support.reveal import check as believes
from tests.support.reveal import run
from tests.support.worker_messages import check

VALUE = """
        class Value:
            def __init__(self, t):
                self.t = t
"""


def test_operators_break_the_frame_that_they_stand_in() -> None:
    check(f"""{VALUE}
            def __add__(self, other):
                if self.t.sum() > 0:  # branch if
                    return self.t
                return self.t + other

            def __rsub__(self, other):
                return 1 if self.t.max() > 0 else 2  # branch if-expression

            def __neg__(self):
                return 1 if self.t.min() > 0 else 2  # branch if-expression

        def f(x: Tensor):
            y = Value(x) + 1
            y.tolist()  # call torch.Tensor.tolist skipped

        def g(x: Tensor):
            return 1 - Value(x)

        def h(x: Tensor):
            return -Value(x)
    """)


def test_comparisons_and_len_leave_the_frame_whole() -> None:
    check(f"""{VALUE}
            def __lt__(self, other):
                return 1 if self.t.max() > 0 else 2  # branch if-expression

            def __len__(self):
                return 1 if self.t.min() > 0 else 2  # branch if-expression

        def f(x: Tensor):
            smaller = Value(x) < 3
            n = len(Value(x))
            x.tolist()  # call torch.Tensor.tolist
    """)


def test_membership_and_in_place() -> None:
    check(f"""{VALUE}
            def __contains__(self, key):
                return 1 if self.t.min() > 0 else 2  # branch if-expression

            def __iadd__(self, other):
                return 1 if self.t.max() > 0 else 2  # branch if-expression

        def f(x: Tensor):
            if 3 in Value(x):
                return x
            return x + 1

        def g(x: Tensor):
            value = Value(x)
            value += 1
            return value
    """)


def test_what_nothing_stores_is_asked_of_getattr() -> None:
    believes("""
        class Config:
            def __init__(self, values):
                self.values = values

            def __getattr__(self, name):
                return self.values.get(name)

        class Wrapper(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()

            def __getattr__(self, name):
                try:
                    return super().__getattr__(name)
                except AttributeError:
                    return getattr(self.inner, name)

            def forward(self, x: Tensor):
                reveal_type(self.scale)  # ? | tensor float 1-d parameter
                return x

        class Inner(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.ones(3))

        class Refuses:
            def __getattr__(self, name):
                raise AttributeError(name)

        def f(x: Tensor, refuses: Refuses):
            config = Config({"size": 2.0})
            reveal_type(config.values)  # dict(size: 2.0)
            refuses.anything
            reveal_type(x)  # tensor input
    """)


def test_an_object_made_in_the_region_holds_what_it_was_given() -> None:
    believes("""
        class Pair:
            def __init__(self, first, second, name="pair"):
                self.first = first
                self.second = second
                self.name = name
                self.total = None

            def add(self):
                self.total = self.first + self.second

        def f(x: Tensor):
            pair = Pair(x.sum(), 3)
            reveal_type(pair.first)  # tensor 0-d computed
            reveal_type(pair.second)  # int
    """)


def test_a_tensor_meets_such_an_object_before_the_method_does() -> None:
    check(f"""{VALUE}
            def __radd__(self, other):
                return 1 if self.t.min() > 0 else 2

        def f(x: Tensor):
            return x + Value(x)  # syntax tensor + Value object
    """)


def test_a_dict_asked_for_an_object_that_hashes_itself() -> None:
    check("""
        class Key:
            def __init__(self, k):
                self.k = k

            def __hash__(self):
                return hash(self.k)

            def __eq__(self, other):
                return self.k == other.k

        class Plain:
            pass

        TABLE = {Key(1): 2.0}

        def f(x: Tensor):
            return x * TABLE[Key(1)]  # syntax dict[object]

        def g(x: Tensor):
            key, plain = Key(1), Plain()
            table = {key: 2.0, plain: 3.0}
            return x * table[key] * table[plain] * table.get(Key(1), 3.0)
    """)


REFUSING = """
import string

class Closed:
    def __getattr__(self, name):
        raise AttributeError(string.Template("no $name").safe_substitute(name=name))

class Open:
    def __getattr__(self, name):
        print(name)
        return 1
"""


@pytest.mark.parametrize(
    ("cls", "count"),
    [
        pytest.param("Closed", 0, id="it can only raise, so the attribute is there"),
        pytest.param("Open", 1, id="it answers"),
    ],
)
def test_what_words_the_error_of_a_librarys_getattr_is_not_charged_to_the_caller(cls: str, count: int) -> None:
    app = (
        f"import lib\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
        f"        super().__init__()\n        self.held = lib.{cls}()\n"
        "    def forward(self, x):\n        return x * self.held.size\n"
    )
    events = run({"lib.py": REFUSING, "app.py": app}, unlinted=("lib",))
    assert len([event for event in events if event.breaks]) == count
