"""A callee that is one of several: what some choices do is possible, what all do is as sure as the least sure."""

from __future__ import annotations

from compilelint.events import Branch, Event
from compilelint.model import Confidence
from compilelint.values import tensor_arm
from tests.support.reveal import check, run

TABLE = """
from lib import by_name
from torch import Tensor

class Model(nn.Module):
    def __init__(self, kind: str):
        super().__init__()
        self.kind = kind

    def forward(self, x: Tensor):
        return by_name(self.kind)(x)
"""


def breaks(files: dict[str, str], unlinted: tuple[str, ...] = ("lib.py",)) -> list[Event]:
    """The graph breaks of a program whose `lib.py` is only followed."""
    return [event for event in run(files, unlinted=unlinted) if event.breaks]


def test_a_break_in_one_entry_of_a_table_is_possible_where_the_key_is_not_known() -> None:
    lib = """
        def quiet(x):
            return x + 1

        def loud(x):
            return x.sum().item()

        TABLE = {"quiet": quiet, "loud": loud}

        def by_name(kind):
            return TABLE[kind]
    """
    (found,) = breaks({"app.py": TABLE, "lib.py": lib})
    assert found.site.cap == Confidence.POSSIBLE
    assert found.site.choice is not None
    assert (found.site.choice.names, found.site.choice.of) == (("lib.loud",), 2)


def test_what_every_entry_does_is_as_sure_as_the_least_sure() -> None:
    lib = """
        def loud(x):
            return x.sum().item()

        def louder(x):
            return x.tolist()

        TABLE = {"loud": loud, "louder": louder}

        def by_name(kind):
            return TABLE[kind]
    """
    (found,) = breaks({"app.py": TABLE, "lib.py": lib})
    assert found.site.cap is Confidence.CERTAIN
    assert found.site.choice is not None
    assert found.site.choice.names == ("lib.loud", "lib.louder")


def test_an_entry_that_cannot_take_the_arguments_is_not_called() -> None:
    lib = """
        def quiet(x):
            return x + 1

        def loud(x, boxes, *, weight):
            return x.sum().item()

        TABLE = {"quiet": quiet, "loud": loud}

        def by_name(kind):
            return TABLE[kind]
    """
    assert breaks({"app.py": TABLE, "lib.py": lib}) == []


def test_an_entry_in_a_linted_file_keeps_its_own_certainty() -> None:
    lib = """
        def quiet(x):
            return x + 1

        def loud(x):
            return x.sum().item()

        TABLE = {"quiet": quiet, "loud": loud}

        def by_name(kind):
            return TABLE[kind]
    """
    (found,) = breaks({"app.py": TABLE, "lib.py": lib}, unlinted=())
    assert (found.site.context.function, found.site.cap) == ("loud", Confidence.CERTAIN)


def test_the_results_of_all_choices_are_joined() -> None:
    check("""
        def double(x):
            return x * 2

        def count(x):
            return 3

        TABLE = {"double": double, "count": count}

        def f(x: Tensor, kind: str):
            reveal_type(TABLE[kind](x))  # 3 | tensor computed
    """)


def test_a_choice_that_never_returns_leaves_what_the_others_do() -> None:
    check("""
        def double(x):
            return x * 2

        def refuse(x):
            raise ValueError("not here")

        TABLE = {"double": double, "refuse": refuse}

        def f(x: Tensor, kind: str):
            y = TABLE[kind](x)
            reveal_type(y)  # ? | tensor computed
    """)


def test_the_default_of_the_key_chooses_the_entry() -> None:
    check("""
        def double(x):
            return x * 2

        def count(x):
            return 3

        TABLE = {"double": double, "count": count}

        class Config:
            kind: str = "count"

        class Model(nn.Module):
            def __init__(self, config: Config, kind: str = "double"):
                super().__init__()
                self.chosen = TABLE[kind]
                self.counted = TABLE[config.kind]

            def forward(self, x: Tensor):
                reveal_type(self.chosen(x))  # tensor computed
                reveal_type(self.counted(x))  # 3
    """)


def test_what_stands_under_a_configuration_in_followed_code_is_possible_also_after_an_early_return() -> None:
    app = """
        from lib import reads

        def f(x: Tensor, config):
            return reads(x, config)
    """
    lib = """
        def reads(x, config):
            if not config.wanted:
                return None
            return x.sum().item()
    """
    (found,) = breaks({"app.py": app, "lib.py": lib})
    assert found.site.cap == Confidence.POSSIBLE


def test_an_early_return_that_usually_does_not_happen_leaves_what_follows_sure() -> None:
    app = """
        from lib import reads

        def f(x: Tensor, **kwargs):
            return reads(x, kwargs)
    """
    lib = """
        import os

        def reads(x, kwargs):
            if os.getenv("QUIET", "0") == "1":
                return None
            if (given := kwargs.pop("given", None)) is not None:
                return given
            return x.sum().item()
    """
    (found,) = breaks({"app.py": app, "lib.py": lib})
    assert found.site.cap is Confidence.CERTAIN


def test_a_test_of_the_kind_of_an_argument_leaves_the_argument_its_own_confidence() -> None:
    app = """
        from lib import reads

        def f(x: Tensor, flag: bool):
            return reads(x.sum() if flag else 3)
    """
    lib = """
        def reads(x):
            if isinstance(x, torch.Tensor):
                return x.item()
            return x
    """
    (found,) = breaks({"app.py": app, "lib.py": lib})
    assert found.site.cap is Confidence.CERTAIN


def test_what_stands_beside_something_unknown_is_likely_never_certain() -> None:
    """What else may be called is not known at all, and need not end the graph."""
    text = """
        def first(x):
            return x.sum().item()

        def f(x: Tensor, k: int, table: dict):
            chosen = first if k else table["other"]
            return chosen(x)
    """
    inside = [event.site.cap for event in run(text) if event.breaks]
    assert inside
    assert set(inside) == {Confidence.LIKELY}


def test_what_is_called_and_what_it_is_given_are_chosen_together() -> None:
    found = breaks(
        {
            "app.py": """
        class Loss(nn.Module):
            def __init__(self, kind: str):
                super().__init__()
                self.kind = kind
                self.loss = self.flagged if kind == "flagged" else self.summed

            def flagged(self, x, target):
                return x.mean() if target else -x.mean()

            def summed(self, x, target):
                return (x - target).sum()

            def forward(self, x: Tensor, real: bool):
                target = real if self.kind == "flagged" else x.new_ones(3)
                return self.loss(x, target)
            """
        },
        unlinted=(),
    )
    conditions = [tensor_arm(event.condition) for event in found if isinstance(event, Branch)]
    assert [c.confidence for c in conditions if c is not None] == [Confidence.POSSIBLE]


def test_an_import_of_what_is_there_leaves_no_place_for_its_replacement() -> None:
    files = {
        "app.py": """
        def plain(x):
            return x + 1

        def f(x: Tensor):
            try:
                from fast import solve
            except ImportError:
                solve = plain
            reveal_type(solve)  # function solve

        def g(x: Tensor):
            try:
                from missing import solve
            except ImportError:
                solve = plain
            reveal_type(solve)  # function plain | library missing.solve
        """,
        "fast.py": "def solve(x):\n    return x * 2\n",
    }
    check(files)


CHOSEN = """
from lib import by_name, loud
from torch import Tensor

class Model(nn.Module):
    def __init__(self, kind: str):
        super().__init__()
        self.kind = kind
        self.made = loud

    def change(self, made):
        self.made = made

    def forward(self, x: Tensor):
        {}
"""
LOUD = """
    from elsewhere import by_name

    def loud(x):
        return x.sum().item()
"""


def test_a_variable_that_a_test_replaces_by_a_function_is_a_choice() -> None:
    body = 'f = by_name(self.kind)\n        if self.kind == "loud":\n            f = loud\n        return f(x)'
    (found,) = breaks({"app.py": CHOSEN.format(body), "lib.py": LOUD})
    assert found.site.cap == Confidence.POSSIBLE


def test_an_attribute_that_code_outside_may_replace_is_mostly_what_the_constructor_stores() -> None:
    (found,) = breaks({"app.py": CHOSEN.format("return self.made(x)"), "lib.py": LOUD})
    assert found.site.cap == Confidence.LIKELY
