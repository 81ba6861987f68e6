"""The readiness table keeps to the width it is given, and says under it what explains the rows."""

from __future__ import annotations

import pytest

from compilelint.dynamic.merge import Side
from compilelint.model import Divergence, ExportTry, Fate, Parity, TargetRun
from compilelint.report.layout.target_table import exports, readiness, remarks

NAME = "package.models.transformers.blocks:" + "VeryLongName" * 8
RAN = TargetRun(NAME, Fate.RAN, graphs=2, compile_seconds=1.5, inputs=("Tensor[2, 3]",), inputs_from="as asked for")


def side(run: TargetRun) -> Side:
    return Side(run, 0, 0, 0)


@pytest.mark.parametrize(("width", "widest"), [(120, 120), (100, 100), (80, 80), (40, 80), (None, 1000)])
def test_the_table_keeps_to_its_width(width: int | None, widest: int) -> None:
    rows = readiness([side(RAN)], color=False, width=width).splitlines()
    assert max(map(len, rows)) <= widest
    assert (NAME in rows[-1]) is (width is None)  # a long name is folded where there is no room


def test_a_row_says_what_was_seen_and_a_target_that_did_not_run_why() -> None:
    gone = TargetRun("m:Gone", Fate.NO_INPUTS)
    rows = readiness([side(RAN), side(gone)], color=False, width=None).splitlines()
    assert rows[-2].split()[1:3] == ["2", "0"]
    assert "1.5 s" in rows[-2]
    assert rows[-1].split()[:2] == ["m:Gone", "-"]
    assert f"not run: {Fate.NO_INPUTS.value}" in rows[-1]


def test_inputs_that_were_asked_for_are_named_on_demand_only() -> None:
    assert remarks([side(RAN)], verbose=False) == []
    assert remarks([side(RAN)], verbose=True) == [f"{NAME}: called with Tensor[2, 3] (as asked for)"]
    guessed = TargetRun("m:Net", Fate.RAN, inputs=("int",), inputs_from="guessed")
    assert remarks([side(guessed)], verbose=False) == ["m:Net: called with int (guessed)"]


@pytest.mark.parametrize(
    ("strict", "loose", "said"),
    [(False, True, True), (True, True, False), (False, False, False), (True, False, False)],
)
def test_only_where_strict_export_alone_fails_the_other_one_is_named(strict: bool, loose: bool, said: bool) -> None:
    tried = (ExportTry("strict", strict, "", 1), ExportTry("non-strict", loose, "", 1))
    text = exports([TargetRun("m:Net", Fate.RAN, exports=tried)])
    assert ("strict=False" in text) is said


@pytest.mark.parametrize("width", [80, 100])
def test_the_first_column_is_never_lost(width: int) -> None:
    wide = Parity(1, 1, (Divergence("state", "self.blocks.0.attention.seen", 0, "other"),), "")
    runs = [
        TargetRun("package.models:Encoder", fate, graphs=200, parity=wide) for fate in (Fate.RAN, Fate.MEMORY_LIMIT)
    ]
    rows = readiness([side(one) for one in runs], color=False, width=width).splitlines()
    assert rows[0].startswith("target ")
    assert [row[:12] for row in rows if row.startswith("package")] == ["package.mode", "package.mode"]
    assert "differs: self.blocks.0.att" in "".join(rows)
