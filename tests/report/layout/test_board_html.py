"""The board: what its page says of each model, and what a real browser makes of sorting and searching it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from compilelint.model import site
from compilelint.report.layout.board_html import board
from tests.report.browser import browser


def head(name: str = "2026-11-23", **more: Any) -> dict[str, Any]:
    score = {"cases": 3, "breaking_cases": 1, "break_lines": 2, "found": 1, "true_positives": 1, "false_positives": 0}
    scores = {"shop": {**score, "precision": 1.0, "recall": 0.5}}
    return {"kind": "run", "name": name, "torch": "2.13.0", "asked": 4, "known": 10, "scores": scores, **more}


def model(name: str, *breaks: dict[str, Any], graphs: int = 1, **more: Any) -> dict[str, Any]:
    row = {"kind": "model", "model": name, "library": "shop", "mode": "eval", "torch": "2.13.0", "fate": "ran"}
    seen = {"graphs": graphs, "breaks": list(breaks), "refuted": 0, "recompiles": 0, "parity": "equal"}
    return {**row, **seen, "compile_seconds": 0.5, **more}


def broke(line: int, *rules: str) -> dict[str, Any]:
    return {
        "rules": list(rules),
        "id": "GB0170",
        "place": f"shop/ranker.py:{line}",
        "words": "Data-dependent branching",
    }


GONE = {**model("shop/gone"), "fate": "time-limit", "detail": "still in phase 'compile' after <150> s"}
RUN = [
    head(),
    model("shop/two", broke(7, "CL101"), broke(9), graphs=3),
    model("shop/ten", graphs=10),
    model("shop/one"),
    GONE,
]


def test_a_break_is_predicted_by_a_rule_or_missed_with_links_to_both_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "SITE", "https://lint.test/")
    page = board([RUN])
    assert 'predicted by <a href="https://lint.test/rules/CL101/" rel="noopener noreferrer">CL101</a>' in page
    assert page.count('<a href="https://lint.test/break-ids/#gb0170" rel="noopener noreferrer">GB0170</a>') == 2
    assert page.count("<b>missed</b>") == 1


def test_what_was_not_run_is_said() -> None:
    page = board([RUN])
    assert "3 of 4 models ran; 2 in one piece, 1 with graph breaks" in page
    assert "Not run for time: 6 more models" in page
    assert "time-limit: still in phase &#39;compile&#39; after &lt;150&gt; s" in page


def test_precision_without_findings_is_no_number() -> None:
    none = {"cases": 1, "breaking_cases": 0, "break_lines": 0, "found": 0, "true_positives": 0, "false_positives": 0}
    page = board([[head(scores={"quiet": {**none, "precision": 0.0, "recall": 0.0}}), model("quiet/one")]])
    assert re.search(r"quiet</th>.*<td>-</td><td>-</td></tr>", page)
    assert "100.0 %</td><td>50.0 %" in board([RUN])


def test_several_runs_show_the_latest_and_what_it_was_before() -> None:
    page = board([[head("first"), model("shop/one", broke(7))], [head("second"), model("shop/one")]])
    assert "first: 1 break" in page
    assert "second: 0 breaks" in page
    assert page.count('<th scope="row">shop/one') == 1


def test_speed_has_a_column_where_a_model_was_measured() -> None:
    speed = {"configuration": "default", "estimate": 1.5, "low": 1.4, "high": 1.6}
    page = board([[head(), model("shop/one", speed=speed), model("shop/two"), GONE]])
    assert "times eager</th>" in page
    assert '1.5 <span class="quiet">(1.4 to 1.6, default)</span>' in page
    assert '<td colspan="8"' in page
    assert "times eager" not in board([RUN])


def test_the_page_is_the_same_for_the_same_rows_and_fetches_nothing() -> None:
    page = board([RUN])
    assert page == board([RUN])
    assert "default-src 'none'" in page or "default-src &#39;none&#39;" in page
    assert not re.search(r'(src|href)="(?!#)', page)


@pytest.mark.slow
@pytest.mark.needs("chromium", "apt-get install chromium")
def test_a_browser_sorts_searches_and_stays_within_its_width(tmp_path: Path) -> None:
    file = tmp_path / "board.html"
    file.write_text(board([RUN]), encoding="utf-8")
    with browser() as seen:
        seen.open(file)
        rows = "[...document.querySelectorAll('.board tbody tr:not([hidden]) th')]"
        names = f"{rows}.map((one) => one.firstChild.data.trim())"
        assert seen.evaluate(names) == ["shop/gone", "shop/one", "shop/ten", "shop/two"]
        graphs = "document.querySelectorAll('.board thead button')[2].click()"
        seen.evaluate(graphs)
        assert seen.evaluate(names) == ["shop/one", "shop/two", "shop/ten", "shop/gone"]
        seen.evaluate(graphs)
        assert seen.evaluate(names) == ["shop/ten", "shop/two", "shop/one", "shop/gone"]
        seen.page.fill("#search", "ranker.py:9")
        assert seen.evaluate(names) == ["shop/two"]
        assert seen.evaluate("document.getElementById('count').textContent") == "1 of 4 models"
        seen.page.fill("#search", "")
        seen.page.select_option("#of-kind", "failed")
        assert seen.evaluate(names) == ["shop/gone"]
        for scheme in ("light", "dark"):
            seen.look(scheme)
            for width in (380, 1280):
                seen.size(width)
                assert seen.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.said == []
        assert [one for one in seen.asked if not one.startswith("file:")] == []
