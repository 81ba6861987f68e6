"""Measurements as Markdown, JSON, a terminal's page and HTML: the same numbers, and hostile names made harmless."""

from __future__ import annotations

import html.parser
import json
from dataclasses import replace

from compilelint.bench.result import Agreement, Memory
from compilelint.report.formats.html import render as html_report
from compilelint.report.layout.benches import bench_markdown, rows, weighted_quantile
from compilelint.report.layout.benches_console import bench_full
from compilelint.report.layout.benches_json import bench_json
from compilelint.report.report import Report, TorchTarget
from tests.bench.samples import bench_of, failed, measured

GOOD = bench_of(measured("eager", 2e-3), measured("default", 1e-3), failed("regional", "no block is repeated"))


def test_a_row_holds_times_ratio_starting_and_when_it_pays() -> None:
    eager, default, regional = rows(GOOD)
    assert eager[0] == "eager"
    assert eager[5:] == ("1", "-", "-")
    assert default[5].startswith(("1.9", "2.0"))
    assert default[6] == "20 s / 2 s"
    assert default[7].endswith(" calls")
    assert regional[:2] == ("regional", "not run")


def test_the_99th_percentile_needs_a_hundred_times() -> None:
    enough, few = rows(GOOD), rows(bench_of(*(replace(one, rounds=one.rounds[:4]) for one in GOOD.measured)))
    assert next(enough)[3].endswith("ms")
    assert next(few)[3] == "-"


def test_quantiles_over_input_sets_count_calls_by_their_weight() -> None:
    assert weighted_quantile([[1.0] * 10, [5.0] * 1000], (9.0, 1.0), 0.5) == 1.0
    assert weighted_quantile([[1.0] * 1000, [5.0] * 10], (1.0, 9.0), 0.5) == 5.0


def test_markdown_holds_advice_table_and_machine() -> None:
    text = bench_markdown([GOOD])
    assert "### m:Net\n\nCompile the whole model: `torch.compile(model)` is" in text
    assert "| default | " in text
    assert "- `regional` did not run: no block is repeated" in text
    assert text.endswith("Measured on torch 2.13.0.\n")


def test_markdown_cells_cannot_be_broken_out_of() -> None:
    text = bench_markdown([replace(GOOD, target="a|b<script>\n# c")])
    assert "### a\\|b&lt;script> # c\n" in text


def test_json_holds_every_time_and_the_same_numbers() -> None:
    document = json.loads(bench_json([GOOD]))
    (bench,) = document["benches"]
    eager, default, regional = bench["configurations"]
    assert document["schema_version"] == 1
    assert len(default["times"]) == 8
    assert len(default["times"][0][0]) == 15
    assert default["faster_than_eager"]["low"] < default["faster_than_eager"]["estimate"]
    assert default["break_even_calls"]["cold"] > default["break_even_calls"]["warm"]
    assert (regional["fate"], regional["detail"], regional["median"]) == ("compile-error", "no block is repeated", None)
    assert bench["verdict"]["kind"] == "whole"
    assert eager["agreement"] is None


def test_what_is_infinite_is_null_in_json() -> None:
    wrong = measured("default", 1e-3, agreement=Agreement((0,), float("inf"), 1e-4, "output"))
    document = json.loads(bench_json([bench_of(measured("eager", 2e-3), wrong)]))
    assert document["benches"][0]["configurations"][1]["agreement"]["error"] is None


def test_the_terminal_gets_advice_first_and_no_control_characters() -> None:
    hostile = replace(GOOD, target="m:\x1b[2JNet")
    text = bench_full([hostile], color=False, width=None)
    first, second = text.splitlines()[:2]
    assert first == "m:\\x1b[2JNet"
    assert second.startswith("compile the whole model")
    assert "\x1b" not in text


class _Tags(html.parser.HTMLParser):
    """Tags that are open, and what was seen."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(*benches: object) -> str:
    return html_report(Report((), 0, TorchTarget("2.13", "asked for"), "/p", benches=benches))  # type: ignore[arg-type]


def test_the_page_draws_intervals_and_distributions_for_each_configuration() -> None:
    tags = _Tags()
    tags.feed(page(GOOD))
    assert not tags.open
    assert tags.seen["svg"] == 2
    assert tags.seen["circle"] == 1  # of `default`; eager is the line
    assert tags.seen["rect"] > 10


def test_a_chart_says_in_words_what_it_draws() -> None:
    text = page(GOOD)
    assert 'role="img" aria-label="Times as fast as eager, with 95 % intervals; the line is 1"' in text
    assert "<title>default: 2.0" in text
    assert 'class="sure"' in text


def test_what_is_in_the_noise_is_drawn_as_doubtful() -> None:
    noisy = bench_of(measured("eager", 1e-3, scatter=0.3), measured("default", 1e-3, scatter=0.3))
    assert 'class="doubtful"' in page(noisy)
    assert 'class="sure"' not in page(noisy)


def test_hostile_names_cannot_leave_their_place_on_the_page() -> None:
    wicked = replace(GOOD, target="</h3><script>alert(1)</script>", sets=('"><img src=x>',))
    text = page(wicked)
    assert "<script>alert" not in text
    assert "<img" not in text


def test_a_page_without_measurements_has_no_section_for_them() -> None:
    assert "payoff" not in page()


def test_memory_of_a_device_stands_beside_that_of_the_host() -> None:
    one = measured("eager", 1e-3)
    both = replace(one, memory=Memory(1 << 30, 1 << 30, 1 << 28, 1 << 29))
    assert "1,024 MB, device 512 MB" in bench_markdown([bench_of(both)])
