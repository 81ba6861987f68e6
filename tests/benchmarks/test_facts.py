"""The whole static pass against thousands of one-line programs that real TorchDynamo ran, in two torch versions."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FACTS = Path(__file__).parents[2] / "benchmarks" / "facts"


def _agreement() -> ModuleType:
    """The benchmark, which is a script and no package."""
    spec = importlib.util.spec_from_file_location("agreement", FACTS / "agreement.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["agreement"] = module
    spec.loader.exec_module(module)
    return module


agreement = _agreement()


# The false one is a cached property that was read before.
@pytest.mark.slow
@pytest.mark.parametrize(("version", "most_missed", "most_false"), [("2.13.0", 18, 1), ("2.15.0", 16, 1)])
def test_predictions_agree_with_what_dynamo_did(
    version: str, most_missed: int, most_false: int, tmp_path: Path
) -> None:
    compared = agreement.compare(agreement.snippets(), version, tmp_path)
    assert len(compared) > 3_800
    assert sum(one.recorded == "break" for one in compared) > 400
    wrong = "\n".join(agreement.listed(compared))
    missed = sum(one.recorded == "break" and not one.agrees for one in compared)
    false = sum(one.recorded == "ok" and not one.agrees for one in compared)
    assert missed <= most_missed, wrong
    assert false <= most_false, wrong


def test_the_list_of_disagreements_is_up_to_date_about_its_totals() -> None:
    text = (FACTS / "snippets.md").read_text(encoding="utf-8")
    for version in ("2.13.0", "2.15.0"):
        asked = sum(version in one.verdicts for one in agreement.snippets())
        assert f"| {version} | {asked:,} |" in text


def test_parameters_are_typed_as_they_were_recorded() -> None:
    assert agreement.annotation("bool2") == "torch.BoolTensor"
    assert agreement.annotation("complex1") == "torch.Tensor"
    snippet = agreement.Snippet("k", {"x": "float2", "l": "int1"}, ["m = nn.Linear(3, 3)"], ["return m(x)[l]"], {})
    assert snippet.source(7) == [
        "m7 = nn.Linear(3, 3)",
        "@torch.compile",
        "def f7(x: torch.FloatTensor, l: torch.LongTensor):",
        "    return m7(x)[l]",
    ]
