"""What settings change, by version, as `torchfacts.generate.switches` has tried it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.torchfacts import Capture
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.settings import settings
from compilelint.torchfacts.switches import FUNCTION_SETTINGS, NAMES, switch, switches


@pytest.mark.parametrize(
    ("name", "value", "version", "ids"),
    [
        pytest.param("allow_rnn", True, "2.13.0", {"GB0014"}, id="tried on this version"),
        pytest.param("allow_rnn", True, "2.15.0", {"GB0148"}, id="another id on another version"),
        pytest.param("allow_rnn", True, "2.14.1", {"GB0014"}, id="the nearest older one"),
        pytest.param("allow_rnn", True, "2.9.1", {"GB0014"}, id="older than all that were tried"),
        pytest.param("graph_break_on_nn_param_ctor", False, "2.13.0", {"GB0264"}, id="switched off"),
    ],
)
def test_a_setting_changes_what_was_tried(name: str, value: bool, version: str, ids: set[str]) -> None:
    found = switch(name, value, (), [version])
    assert found is not None
    assert found.ids == ids


@pytest.mark.parametrize(
    ("name", "value"),
    [("allow_rnn", False), ("allow_rnn", None), ("graph_break_on_nn_param_ctor", True), ("verbose", True)],
    ids=["torch's own value", "a value that the source does not show", "torch's own value, true", "removes no break"],
)
def test_nothing_is_changed(name: str, value: object) -> None:
    assert switch(name, value, (), ["2.13.0"]) is None


def test_every_row_is_a_setting_of_its_version_and_is_looked_for_in_texts() -> None:
    looked_for = {*NAMES, *(capture.value for capture in Capture)}
    for version, rows in switches().items():
        assert set(rows) <= settings()[version]["torch._dynamo.config"]
        assert set(rows) <= looked_for
        assert {name for name, row in rows.items() if "functions" in row} <= FUNCTION_SETTINGS


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "switches.json").write_text('{"schema": 1, "versions": 3}', encoding="utf-8")
    with pytest.raises(FactsError, match=r"switches\.json is damaged"):
        switches(tmp_path)


@pytest.mark.slow
@pytest.mark.dynamo
def test_the_settings_do_what_they_do_in_the_installed_torch() -> None:
    command = [sys.executable, "-m", "compilelint.torchfacts.generate.switches", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
