"""Recorded programs become rows of `refusals.json`: which of a program's breaks is the row's, and what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.torchfacts import refusals
from compilelint.torchfacts.generate.refusals import (
    LABELS,
    differences,
    folded,
    main,
    recorded,
    text_of,
    verdict_of,
)
from compilelint.torchfacts.refusals import Refusal, Refusals, from_content, refusals_of

ROOT = Path(__file__).parents[2]
PROGRAM = "keys/looked_up"


def broken(gb: str, line: int = 7, **more: Any) -> dict[str, Any]:
    """A break as labels have it; it ended a graph."""
    return {"gb": gb, "line": line, "kind": "break", "splits": True, **more}


def run(*breaks: dict[str, Any], label: str = "break") -> dict[str, dict[str, Any]]:
    """The labels of a version with this program alone."""
    return {PROGRAM: {"case": PROGRAM, "label": label, "breaks": list(breaks)}}


def row(text: str = "other@GB2861", **more: Any) -> Refusal:
    """A row of which 2.13 is known."""
    content = {"program": PROGRAM, "verdicts": {"2.13": text}, **more}
    return from_content({"measured": ["2.13"], "refusals": {"KEY": content}}).rows["KEY"]


@pytest.mark.parametrize(
    ("breaks", "text"),
    [
        pytest.param([broken("GB2861")], "other@GB2861", id="a graph ends"),
        pytest.param([broken("GB2861", splits=False)], "skip:other@GB2861", id="the frame is left to Python"),
        pytest.param([broken("GB2861", kind="error")], "raise:other@GB2861", id="the compilation fails"),
        pytest.param([broken("GB0001", 3), broken("GB2861")], "other@GB2861", id="another break comes first"),
        pytest.param([], "ok", id="traced"),
        pytest.param([broken("GB0001", 3)], "ok", id="traced, with a break elsewhere"),
        pytest.param([broken("GB0088")], "observed-exception@GB0088", id="under an id new to the row"),
    ],
)
def test_a_run_gives_the_verdict_of_its_version(breaks: list[dict[str, Any]], text: str) -> None:
    runs = {"2.13": run(broken("GB2861")), "2.15": run(*breaks)}
    assert str(verdict_of(row(), "2.15", runs)) == text


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param({}, id="the version was not run"),
        pytest.param({"2.15": {}}, id="the program was not run"),
        pytest.param({"2.15": run(label="invalid")}, id="it did not run without compilation"),
        pytest.param({"2.15": run({"gb": "GB2861", "line": 7, "kind": "break"})}, id="recorded before effects were"),
    ],
)
def test_what_was_not_recorded_stays_by_hand(runs: dict[str, Any]) -> None:
    assert verdict_of(row(), "2.15", runs) is None
    kept = folded(Refusals(("2.13", "2.15"), {"KEY": row()}), runs).rows["KEY"]
    assert str(kept.verdict("2.15")) == "other@GB2861"
    assert "2.15" in kept.by_hand


def test_an_effect_by_hand_takes_the_id_alone_from_a_run() -> None:
    by_hand = row("skip:other@GB2861", effect="by hand")
    assert str(verdict_of(by_hand, "2.15", {"2.15": run(broken("GB2861"))})) == "skip:other@GB2861"


def test_of_a_row_without_an_id_the_first_break_is_meant() -> None:
    runs = {"2.13": run(broken("GB2861"), broken("GB0088"))}
    assert str(verdict_of(row("ok"), "2.13", runs)) == "untraceable-builtin@GB2861"


def test_a_key_without_a_row_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit):
        main(["--check", "--recorded", "GB9999|nothing"])
    assert "has no row 'GB9999|nothing'" in capsys.readouterr().err


def test_a_new_version_is_one_more_verdict() -> None:
    runs = {"2.13": run(broken("GB2861")), "2.16": run()}
    found = folded(Refusals(("2.13",), {"KEY": row()}), runs)
    assert found.measured == ("2.13", "2.16")
    assert [(release, str(verdict)) for release, verdict in found.rows["KEY"].verdicts] == [
        ("2.13", "other@GB2861"),
        ("2.16", "ok"),
    ]
    assert differences(Refusals(("2.13",), {"KEY": row()}), found) == [
        f"KEY ({PROGRAM}), torch 2.16: shipped other@GB2861, recorded ok"
    ]


def test_equal_versions_take_no_room() -> None:
    runs = {"2.13": run(broken("GB2861")), "2.15": run(broken("GB2861"))}
    assert len(folded(Refusals(("2.13", "2.15"), {"KEY": row()}), runs).rows["KEY"].verdicts) == 1


def test_what_is_written_is_read_back() -> None:
    shipped = refusals_of()
    text = (Path(refusals.__file__).parent / "data" / refusals.NAME).read_text(encoding="utf-8")
    assert text_of(shipped) == text


def test_the_shipped_rows_are_those_of_the_recorded_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise: `python -m compilelint.torchfacts.generate.refusals --install --recorded`."""
    monkeypatch.chdir(ROOT)
    assert differences(refusals_of(), folded(refusals_of(), recorded(LABELS))) == []


def test_programs_of_rows_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    known = {program for labels in recorded(LABELS).values() for program in labels}
    assert {one.program for one in refusals_of().rows.values()} - {""} <= known


def test_outside_of_a_checkout_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["--check", "--recorded"])
    assert "run it from the root of a checkout" in capsys.readouterr().err


@pytest.mark.dynamo
@pytest.mark.slow
def test_the_installed_torch_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["--check", "--every", "20"]) == 0
