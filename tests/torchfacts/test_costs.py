"""Prices as they are shipped: each a range with its source, and none where nothing was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compilelint.torchfacts import FactsError
from compilelint.torchfacts.costs import Cause, Compilation, Setting, compilation_price, paces, step_price

# Measured where a graph is recorded alone.
_OF_GRAPHS = (Cause.SCALAR, Cause.SPLIT, Cause.GRAPHS, Cause.CLONE, Cause.PENDING)


@pytest.mark.parametrize("cause", [cause for cause in Cause if cause not in _OF_GRAPHS])
@pytest.mark.parametrize("setting", list(Setting))
def test_a_cause_has_a_range_over_several_models_and_processes(cause: Cause, setting: Setting) -> None:
    price = step_price(cause, setting)
    assert price is not None
    assert price.low <= price.median <= price.high
    assert len(price.models) >= 2
    assert price.processes >= 5
    assert price.device
    assert price.torch


_ONCE = ("cost", "base", "each", "spread", "processes", "on")


def test_a_split_of_a_graph_has_no_price_where_nothing_is_recorded() -> None:
    assert step_price(Cause.SCALAR, Setting.INFER, "default") is None
    assert step_price(Cause.SCALAR, Setting.INFER, "reduce-overhead") is not None


def test_a_mode_that_was_not_measured_has_no_price() -> None:
    assert step_price(Cause.BREAK, Setting.TRAIN, "max-autotune") is None


def test_a_larger_graph_takes_longer_to_compile() -> None:
    for of in (Compilation.FIRST, Compilation.AGAIN):
        price = compilation_price(of)
        assert price is not None
        small, large = price.seconds(10), price.seconds(200)
        assert small[0] < price.expected(10) < small[1]
        assert small[0] < small[1]
        assert small[0] < large[0]
        assert small[1] < large[1]


def test_blocks_compiled_by_themselves_take_as_long_however_many_there_are() -> None:
    whole, blocks = compilation_price(Compilation.FIRST), compilation_price(Compilation.BY_BLOCK)
    assert whole is not None
    assert blocks is not None
    assert blocks.each < whole.each / 5
    assert blocks.expected(150) < whole.expected(150)


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param({"machines": [], "steps": [{"cost": "unheard of"}], "compilations": []}, id="another cause"),
        pytest.param(
            {"machines": [], "steps": [], "compilations": [dict.fromkeys(_ONCE, 0)], "paces": []}, id="another machine"
        ),
    ],
)
def test_damaged_data_is_named(tmp_path: Path, damaged: dict[str, object]) -> None:
    (tmp_path / "costs.json").write_text(json.dumps({"schema": 1, **damaged}), encoding="utf-8")
    with pytest.raises(FactsError, match=r"costs\.json is damaged"):
        step_price(Cause.BREAK, Setting.TRAIN, data=tmp_path)


@pytest.mark.parametrize("setting", list(Setting))
def test_a_model_is_faster_with_cuda_graphs_than_eager_in_what_was_measured(setting: Setting) -> None:
    found = paces(setting)
    assert len(found) >= 4
    assert all(0 < pace.recorded < pace.eager for pace in found)
