"""What a constructor stores on an object that it holds is what others read there, by whatever name they have for it."""

from __future__ import annotations

import pytest

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
