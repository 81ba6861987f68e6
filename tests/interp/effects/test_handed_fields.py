"""What a constructor stores on an object that it holds is what others read there, by whatever name they have for it."""

from __future__ import annotations

import pytest

from compilelint.interp.core.handed_stores import HandedFields, said_of_handed
from compilelint.syntax import ir
from compilelint.syntax.facts import Noted, noting
from tests.support.programs import module, program
from tests.support.reveal import check

CONFIG = """
        class Config:
            def __init__(self, **kwargs):
                self._way: str | None = kwargs.pop("way", None)

            @property
            def _way(self):
                return self._way_internal

            @_way.setter
            def _way(self, value: str | None):
                self._way_internal = value

        class Base(nn.Module):
            def __init__(self, config: Config):
                super().__init__()
                self.config = config
                {store}

            def chosen(self, asked: str | None) -> str:
                found = "grouped" if asked is None else asked
                if found == "grouped":
                    try:
                        self.can_be_grouped()
                    except ImportError:
                        found = "eager"
                return found

            def can_be_grouped(self):
                if not torch.cuda.is_available():
                    raise ImportError

        def grouped(x):
            return 1

        def looped(x):
            return "text"

        WAYS = {{"grouped": grouped, "looped": looped}}

        class Layer(nn.Module):
            def __init__(self, config: Config):
                super().__init__()
                self.config = config

            def forward(self, x: Tensor):
                reveal_type(WAYS[self.config._way](x))  # {expected}

        class Model(Base):
            def forward(self, x: Tensor):
                return Layer(self.config)(x)
"""


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        pytest.param("self.config._way_internal = self.chosen(self.config._way)", "1", id="a default is settled"),
        pytest.param('self.config._way_internal = "looped"', "'text'", id="a text"),
        pytest.param("self.config.other = 1", "'text' | 1", id="another attribute"),
        pytest.param("self._way_internal = 'looped'", "'text' | 1", id="its own attribute"),
    ],
)
def test_a_constructor_settles_what_a_configuration_left_open(store: str, expected: str) -> None:
    check(CONFIG.format(store=store, expected=expected))


def test_objects_of_other_classes_keep_what_is_theirs() -> None:
    check("""
        class Other:
            def __init__(self):
                self.size = 3.0

        class Config:
            def __init__(self):
                self.size = "text"

        class Base(nn.Module):
            def __init__(self, config: Config):
                super().__init__()
                self.config = config
                self.config.size = 2

            def forward(self, x: Tensor, other: Other):
                reveal_type(self.config.size)  # int
                reveal_type(other.size)  # float
    """)


TEXT = """
class Base:
    config: Config

    def __init__(self, config):
        self.config = config
        self.config.way = 1
"""


@pytest.mark.parametrize(
    ("edited", "says_the_same"),
    [
        pytest.param(TEXT + "\n\ndef added(x):\n    return x\n", True, id="a function more"),
        pytest.param("import os\n" + TEXT, True, id="all lines moved"),
        pytest.param(TEXT.replace("way = 1", "way = 2"), True, id="another value: who asks reads the constructor"),
        pytest.param(TEXT.replace("way = 1", "path = 1"), False, id="another attribute"),
        pytest.param(TEXT.replace("config: Config", "config: Config\n    size: int"), False, id="one more annotation"),
    ],
)
def test_what_is_said_of_a_file_is_which_attributes_it_stores_and_annotates(edited: str, says_the_same: bool) -> None:
    assert (said_of_handed(module(TEXT)) == said_of_handed(module(edited))) is says_the_same


def test_who_asks_for_an_attribute_depends_on_the_constructor_and_others_do_not() -> None:
    found = program(app=TEXT)
    app = found.module("app")
    assert app is not None
    app.note_names()
    (base,) = (s for s in app.ir.body if isinstance(s, ir.Class))
    (constructor,) = (s for s in base.body if isinstance(s, ir.Function))
    noted = Noted()
    with noting(noted):
        fields = HandedFields(found)
        assert fields.of("other") == []
    assert (id(constructor) in noted.read, id(app.ir) in noted.read) == (False, False)
    with noting(noted):
        assert [one.target.name for one in fields.of("way")] == ["way"]
    assert (id(constructor) in noted.read, id(app.ir) in noted.read) == (True, False)
