"""What ships and what the page says are made from the recorded rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.advice import __main__ as advice
from benchmarks.costs.__main__ import PAGE, QUOTED, SHIPPED, compilations, prices, quotes, recorded, shipped, table


def test_what_ships_is_what_was_recorded() -> None:
    assert SHIPPED.read_text(encoding="utf-8") == shipped(recorded()), "python -m benchmarks.costs"


def test_the_page_has_the_recorded_rows() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for line in table(recorded()):
        assert line in text, "python -m benchmarks.costs"


def test_a_price_is_a_range_over_the_medians_of_models() -> None:
    about = {"job": "step", "cost": "break", "setting": "train", "mode": "default", "device": "card", "torch": "2"}
    rows = [about | {"model": model, "each_ms": ms} for model, ms in (("a", 1.0), ("a", 3.0), ("b", 5.0), ("b", 5.0))]
    [price] = prices(rows)
    assert (price["low"], price["median"], price["high"], price["processes"]) == (2.0, 4.0, 5.0, 4)


def test_compilations_are_a_line_in_the_number_of_operations() -> None:
    about = {"job": "cold", "cost": "cold", "device": "card", "torch": "2"}
    rows = [about | {"operations": size, "s": 2.0 + 0.1 * size} for size in (10, 20, 40)]
    [price] = compilations(rows)
    assert (price["base"], price["each"], price["spread"]) == (2.0, 0.1, 1.0)


@pytest.mark.parametrize(("code", "cost", "setting"), QUOTED)
def test_a_rule_page_quotes_what_was_recorded(code: str, cost: str, setting: str) -> None:
    (page,) = Path("rules").glob(f"{code}-*.md")
    text = " ".join(page.read_text(encoding="utf-8").split())
    found = list(quotes(recorded(), cost, setting))
    assert len(found) >= 2
    for one in found:
        assert one in text, f"{page}: {one}"


@pytest.mark.parametrize(
    ("code", "cost"),
    [
        ("CL820", "graphs"),
        ("CL822", "record"),
        ("CL823", "scalar"),
        ("CL823", "split"),
        ("CL824", "graphs"),
        ("CL826", "pending"),
    ],
)
def test_rules_about_cuda_graphs_are_priced_by_five_processes_on_two_models(code: str, cost: str) -> None:
    processes = Counter(row["model"] for row in recorded() if row["cost"] == cost and row.get("setting") != "train")
    assert sum(number >= 5 for number in processes.values()) >= 2, code


@pytest.mark.parametrize(("code", "pair"), [("CL821", "kept_results"), ("CL825", "state_of_calls")])
def test_rules_about_lost_results_are_priced_by_their_remedy(code: str, pair: str) -> None:
    assert [one.processes for one in advice.rows() if one.pair == pair] == [5, 5], code
