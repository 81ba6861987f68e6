"""How frames run: one value, made once, that says it all."""

from __future__ import annotations

import pytest

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.modes import HOST, SILENT, TRACED, Modes

FLAGS = ("in_body", "is_entry", "in_operator", "enters_body", "enters_operator", "gradients")


def test_modes_do_not_change() -> None:
    with pytest.raises(AttributeError, match="modes do not change"):
        TRACED.silent = True


@pytest.mark.parametrize("flag", FLAGS)
def test_modes_are_made_once(flag: str) -> None:
    changed = TRACED.but(**{flag: not getattr(TRACED, flag)})
    assert changed is not TRACED
    assert changed.but(**{flag: getattr(TRACED, flag)}) is TRACED
    assert changed.silenced is SILENT.but(**{flag: getattr(changed, flag)})


@pytest.mark.parametrize(
    ("modes", "silenced"),
    [
        pytest.param(TRACED, SILENT, id="nothing is judged any more"),
        pytest.param(SILENT, SILENT, id="silent already"),
        pytest.param(HOST, HOST, id="a host stays one"),
    ],
)
def test_silence(modes: Modes, silenced: Modes) -> None:
    assert modes.silenced is silenced
    assert silenced.silent


@pytest.mark.parametrize(
    ("caller", "callee"),
    [
        pytest.param({}, {}, id="nothing to inherit"),
        pytest.param({"enters_body": True}, {"in_body": True, "is_entry": True}, id="the entry of a body"),
        pytest.param({"in_body": True, "is_entry": True}, {"in_body": True}, id="what a body calls is in it, no entry"),
        pytest.param({"enters_operator": True}, {"in_operator": True}, id="the body of an operator"),
        pytest.param({"in_operator": True}, {"in_operator": True}, id="what that calls"),
        pytest.param({"gradients": False}, {}, id="`no_grad` counts in its very frame"),
    ],
)
@pytest.mark.parametrize("run", [TRACED, SILENT, HOST], ids=["traced", "silent", "host"])
def test_what_a_call_inherits(run: Modes, caller: dict[str, bool], callee: dict[str, bool]) -> None:
    assert run.but(**caller).for_call is run.but(**callee)


def test_a_frame_knows_no_more_than_thirty_things() -> None:
    assert len(Frame.__slots__) <= 30
