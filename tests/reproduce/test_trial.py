"""Trials: a script is run by real TorchDynamo, and only what it showed counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from compilelint.reproduce.trial import NoTrialError, Shown, Sign, Trials

BREAKS = """
import torch
@torch.compile(backend="eager")
def f(x):
    if x.sum() > 0:
        return x
    return -x
f(torch.ones(2))
"""
RECOMPILES = """
import torch
@torch.compile(backend="eager")
def f(x):
    return x * 2
f(torch.ones(2))
f(torch.ones(3))
"""
FAILS = BREAKS.replace('backend="eager"', 'backend="eager", fullgraph=True')
GB0170 = Sign("break", "GB0170", "Data-dependent branching")
BY_SIZE = Sign("recompile", "size", "L['x']")


@pytest.fixture(scope="module")
def trials() -> Iterator[Trials]:
    with Trials("", seconds=20) as found:
        yield found


@pytest.mark.dynamo
@pytest.mark.parametrize(
    ("text", "sign", "shows"),
    [
        pytest.param(BREAKS, GB0170, True, id="the break"),
        pytest.param(BREAKS, Sign("break", "GB0059", "x"), False, id="another break"),
        pytest.param(BREAKS, BY_SIZE, False, id="a break is no recompile"),
        pytest.param(RECOMPILES, BY_SIZE, True, id="the recompile"),
        pytest.param(RECOMPILES, Sign("recompile", "dtype", ""), False, id="a recompile of another kind"),
        pytest.param(FAILS, Sign("error", "Unsupported", "Data-dependent branching"), True, id="the error"),
        pytest.param(BREAKS + "raise KeyError\n", GB0170, False, id="it does not run to its end"),
        pytest.param("import torch\n", GB0170, False, id="nothing"),
        pytest.param("def f(:\n", GB0170, False, id="no Python"),
        pytest.param("import os\nos._exit(0)\n", GB0170, False, id="it ends its process"),
        pytest.param("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", GB0170, False, id="it is killed"),
    ],
)
def test_a_script_shows_what_it_shows(trials: Trials, text: str, sign: Sign, shows: bool) -> None:
    assert sign.is_in(trials.run(text)) is shows


@pytest.mark.dynamo
def test_one_script_knows_nothing_of_another(trials: Trials) -> None:
    trials.run("import torch\ntorch.left = 1\n")
    assert trials.run("import torch\nassert not hasattr(torch, 'left')\n").ended


@pytest.mark.dynamo
def test_a_script_may_not_start_programs(trials: Trials) -> None:
    shown = trials.run("import os\nos.system('true')\n")
    assert not shown.ended


@pytest.mark.dynamo
def test_a_script_that_does_not_end_is_ended() -> None:
    with Trials("", seconds=1.5) as trials:
        assert not trials.run("while True:\n    pass\n").ended
        assert trials.run("x = 1\n").ended


@pytest.mark.dynamo
@pytest.mark.parametrize(
    ("text", "line"),
    [("def f():\n    raise KeyError\n\n\nx = 1\nf()\n", 6), ("x = 1\n", 0)],
    ids=["where the script was, not what it called", "it ended"],
)
def test_the_line_is_how_far_the_script_came(trials: Trials, text: str, line: int) -> None:
    assert trials.run(text).line == line


def test_without_an_interpreter_it_says_so() -> None:
    with pytest.raises(NoTrialError, match="cannot be run"), Trials("no-such-python"):
        pass


def test_a_break_without_an_id_is_known_by_its_words() -> None:
    shown = Shown(True, "", ({"kind": "break", "id": "", "words": "Data-dependent branching", "line": 3},))
    assert Sign("break", "", "Data-dependent branching").is_in(shown)
    assert not Sign("break", "", "another").is_in(shown)
