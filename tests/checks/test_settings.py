"""CL845: which names of torch's configurations a version has."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.events import Setting
from compilelint.survey.survey import survey
from compilelint.torchfacts import load
from tests.support.reveal import program_of

BOOK = rulebook()


def said(source: str, version: str = "2.13.0") -> list[str]:
    text = f"import torch\nimport torch._dynamo\nimport torch._inductor.config\n{source}\n"
    events = [one for one in survey(*program_of({"app.py": text})) if isinstance(one, Setting)]
    assert events, "no switch is set"
    found = [finding for event in events for finding in BOOK.findings_for(event, load(version))]
    return [one.message for one in found if one.rule.code == "CL845"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        pytest.param("torch._dynamo.config.max_recompiles = 64", "max_recompiles", id="Dynamo's"),
        pytest.param("torch._inductor.config.triton.fast = True", "triton.fast", id="Inductor's, in a group"),
        pytest.param("with torch._dynamo.config.patch(max_recompiles=2): pass", "max_recompiles", id="patched"),
    ],
)
def test_a_name_that_does_not_exist(source: str, name: str) -> None:
    assert said(source) == [f"torch 2.13.0 has no setting `{name}`"]


@pytest.mark.parametrize(
    ("source", "version"),
    [
        pytest.param("torch._dynamo.config.recompile_limit = 64", "2.13.0", id="a name that exists"),
        pytest.param("torch._dynamo.config.cache_size_limit = 64", "2.13.0", id="an alias"),
        pytest.param("torch._inductor.config.triton.cudagraphs = True", "2.13.0", id="a name in a group"),
        pytest.param("torch._dynamo.config.max_recompiles = 64", "2.8.0", id="a version that was not read"),
        pytest.param(
            "try:\n    torch._dynamo.config.max_recompiles = 64\nexcept Exception: pass", "2.13.0", id="tried"
        ),
        pytest.param(
            "if hasattr(torch._dynamo.config, 'max_recompiles'):\n    torch._dynamo.config.max_recompiles = 64",
            "2.13.0",
            id="asked for first",
        ),
    ],
)
def test_nothing_is_said(source: str, version: str) -> None:
    assert said(source, version) == []
