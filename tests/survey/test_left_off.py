"""What a project leaves off: switches that go from name to name over files, and the lines that need one."""

from __future__ import annotations

from textwrap import dedent

import pytest

from compilelint.survey.left_off import LeftOff
from tests.support.reveal import program_of

NET = """
    class Net(nn.Module):
        def __init__(self, deep):
            self._deep = deep

        @property
        def is_deep(self):
            return self._deep

        def forward(self, x):
            if self.is_deep:
                x = self.dig(x)
            return x

        def dig(self, x):
            return x[x > 0]
"""
SCRIPT = """
    parser.add_argument("--deep", action="store_true")
    args = parser.parse_args()
    net = Net(args.deep)
"""


def off(*files: str, on: frozenset[str] = frozenset()) -> list[tuple[str, int, int, str]]:
    """The lines that files, called `a.py`, `b.py` and so on, leave off."""
    _, modules = program_of({f"{'abc'[place]}.py": dedent(text) for place, text in enumerate(files)})
    found = LeftOff()
    for one in modules:
        found.read(one.ir)
    return list(found.ranges(on))


ARM, METHOD = ("a.py", 12, 12, "deep"), ("a.py", 15, 16, "deep")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(SCRIPT, id="an option of the command line, by position"),
        pytest.param("deep = False\nnet = Net(deep=deep)", id="a constant, by name"),
        pytest.param("settings = {'deep': False}\nnet = Net(settings['deep'])", id="a key of a table"),
        pytest.param("class Config:\n    deep: bool = False\n\nnet = Net(Config().deep)", id="a field"),
        pytest.param("net = Net(config.get('deep', False))", id="a key with a default"),
        pytest.param(
            "class Deeper(Net):\n    def __init__(self, deep=False):\n        super().__init__(deep)", id="a base"
        ),
    ],
)
def test_a_switch_goes_from_name_to_name(script: str) -> None:
    assert [one for one in off(NET, script) if one[0] == "a.py"] == [ARM, METHOD]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("net = Net(True)", id="given on by position"),
        pytest.param("net = Net(deep=True)", id="given on by name"),
        pytest.param(f"{SCRIPT}\n    args.deep = len(args.layers) > 9", id="set by a computation"),
        pytest.param(SCRIPT.replace("store_true", "store_false"), id="an option that switches off"),
        pytest.param(SCRIPT.replace('action="store_true"', "type=int, default=3"), id="an option with a value"),
        pytest.param(f"{SCRIPT}\n    TABLE = dict(deep=flag)", id="taken from what nothing gives"),
        pytest.param("net = Net(deep)", id="given by nothing that is seen"),
        pytest.param("", id="never made"),
    ],
)
def test_what_something_sets_is_no_switch(script: str) -> None:
    assert off(NET, script) == []


def test_a_configuration_or_a_command_sets_it() -> None:
    assert off(NET, SCRIPT, on=frozenset({"deep"})) == []
    assert off(NET, SCRIPT, on=frozenset({"wide"})) != []


def test_what_another_line_mentions_runs_without_the_switch() -> None:
    assert off(NET, f"{SCRIPT}\n    net.dig(x)") == [ARM]


def test_what_torch_itself_sets_is_no_switch() -> None:
    text = "def f(x, training=False):\n    if training:\n        x = x + 1\n    return x"
    assert off(text) == []
    assert off(text.replace("training", "deep")) == [("a.py", 3, 3, "deep")]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        pytest.param("if deep and x.any():\n        x = 1", (3, 3), id="one of several conditions"),
        pytest.param("if not deep:\n        x = 1\n    else:\n        x = 2", (5, 5), id="the else of its opposite"),
        pytest.param("if not deep:\n        return x\n    x = 1\n    x = 2", (4, 6), id="what follows a return"),
        pytest.param("if x is None:\n        x = 1\n    elif deep:\n        x = 2", (5, 5), id="a later arm"),
    ],
)
def test_the_lines_that_need_a_switch(body: str, lines: tuple[int, int]) -> None:
    assert off(f"def f(x, deep=False):\n    {body}\n    return x") == [("a.py", *lines, "deep")]


@pytest.mark.parametrize("test", ["deep or x", "not deep", "deep is None", "deep == x"])
def test_the_lines_that_do_not(test: str) -> None:
    assert off(f"def f(x, deep=False):\n    if {test}:\n        x = 1\n    return x") == []
