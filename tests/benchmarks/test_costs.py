"""What ships and what the page says are made from the recorded rows."""

from __future__ import annotations

from benchmarks.costs.__main__ import PAGE, SHIPPED, compilations, prices, recorded, shipped, table


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
