"""Copies between devices are seen where the user's code makes them. `meta` is a device that every machine has."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo

CODE = """\
import torch


def moved(x):
    y = x.to("meta")
    return y.add(1).to(torch.float64)


def model(x):
    first = moved(x)
    first.copy_(x)
    return x.double().sum().item()
"""


@pytest.fixture
def code(tmp_path: Path) -> Any:
    path = tmp_path / "code.py"
    path.write_text(CODE)
    spec = importlib.util.spec_from_file_location("code_that_copies", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_copy_has_its_devices_its_lines_and_its_share_of_a_call(code: Any) -> None:
    import torch

    from compilelint.bench.worker.copies import copies

    x = torch.ones(3)
    found = copies(lambda: [code.model(x) for _ in range(2)], 2)
    assert {one["way"] for one in found} == {"cpu to meta"}
    lines = [[line for path, line in one["frames"] if path == code.__file__] for one in found]
    assert lines == [[5, 10], [11]], "neither a change of dtype nor a read on the host is a copy between devices"
    assert [one["count"] for one in found] == [1, 1]
    assert all(0 < one["seconds"] < 1 for one in found)
