"""The settings of torch's configurations, by version."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.settings import settings


def test_settings_are_known_by_version_and_module() -> None:
    names = settings()["2.13.0"]["torch._dynamo.config"]
    assert {"recompile_limit", "cache_size_limit", "capture_scalar_outputs"} <= names
    assert "max_recompiles" not in names
    assert "triton.cudagraphs" in settings()["2.13.0"]["torch._inductor.config"]


def test_a_later_version_adds_to_the_one_before_and_lacks_some() -> None:
    older, newer = (settings()[version]["torch._dynamo.config"] for version in ("2.13.0", "2.15.0"))
    assert "_shapes_spec" in older - newer
    assert "_dynamic_shapes_spec" in newer - older
    assert "recompile_limit" in older & newer
    assert not any(name.startswith("-") for name in newer)


def test_a_damaged_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"schema": 1, "versions": {"2.13.0": ["recompile_limit"]}}')
    with pytest.raises(FactsError, match=r"settings\.json is damaged"):
        settings(tmp_path)


@pytest.mark.dynamo
def test_the_settings_are_those_of_the_installed_torch() -> None:
    command = [sys.executable, "-m", "compilelint.torchfacts.generate.settings", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
