"""The HTML report of a bench run in a real headless browser: light, dark, on paper, by keyboard, read aloud.

`python -m tests.report.formats.test_html_in_browser FOLDER` writes screenshots at three widths in both schemes, and the
print, to be looked at.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from compilelint.bench.result import Agreement, Cause, Copy, Soak
from compilelint.config import Options
from compilelint.model import Fate, TargetRun
from compilelint.report.formats import render
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint
from compilelint.session.fixing.propose import with_fixes
from tests.bench.samples import bench_of, failed, measured, recompiled
from tests.report.browser import Browser, Media, Scheme, browser
from tests.report.formats.test_html import PROGRAM, luminance, ran

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium", "apt-get install chromium")]

WIDTHS = (380, 820, 1280)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LONG = "CL101 at app.py:8, compute both sides and choose with `torch.where`"
# More findings than are shown unfolded, on lines that are too long for a telephone.
MORE = "".join(
    f"\n\ndef number_{number}(x: torch.Tensor) -> torch.Tensor:\n"
    f"    return x.reshape(-1) if x.sum().item() > {number}00000000000000000000000000000000000000 else x.flatten()\n"
    for number in range(12)
)


def report(folder: Path) -> Report:
    """Every part that a page can have: measurements, runs, strips, findings with and without fixes, notices."""
    path = folder / "app.py"
    path.write_text(PROGRAM + MORE, encoding="utf-8")
    found = lint(Options((str(path),), torch_version="2.13"))
    place = path.as_posix()
    eager = replace(measured("eager", 2e-3), copies=(Copy("cuda to cpu", ((place, 8),), 4, 2e-4),))
    wrong = measured("default+amp", 1e-3, agreement=Agreement((0,), 0.5, 1e-4, "output[0]"))
    default = measured("default", 1.5e-3, run=recompiled("inputs"), soak=Soak(200, ((1e-3,) * 20,) * 10, 1 << 20, (7,)))
    sides = (eager, default, measured("dynamic", 1e-3), measured("regional", 3e-3, scatter=0.3))
    bench = bench_of(*sides, measured("eager+amp", 2e-3), wrong, measured("default", 1e-3, change=LONG))
    causes = (Cause("CL304", place, 8, 8), Cause("CL303", place, 9, 9, "no rewrite is known"))
    gone = replace(bench_of(failed("eager", "no module named x")), target="app:Gone")
    return replace(
        found,
        findings=with_fixes(found.findings),
        targets=(ran(place), TargetRun("app:Gone", Fate.IMPORT_ERROR, "no module")),
        benches=(replace(bench, causes=causes), gone),
    )


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Browser, Path]]:
    folder = tmp_path_factory.mktemp("page")
    page = folder / "report.html"
    page.write_text(render(report(folder), "html"), encoding="utf-8")
    with browser() as found:
        yield found, page


@pytest.fixture
def page(shown: tuple[Browser, Path]) -> Browser:
    """The page as it is opened first."""
    found, path = shown
    found.look()
    found.open(path, 1280)
    return found


def test_the_page_has_all_its_parts(page: Browser) -> None:
    heads = page.evaluate("[...document.querySelectorAll('h2')].map(one => one.textContent)")
    assert heads == [
        "Does compiling pay?",
        "Readiness",
        "What ran",
        "Expected from each compile root",
        "Findings",
        "Notices",
        "Keys",
    ]
    assert page.evaluate("document.querySelectorAll('details:not([open])').length") > 0
    assert page.evaluate("document.querySelectorAll('ins, del').length") > 0


def test_nothing_is_asked_for_but_the_page_and_nothing_is_complained_of(page: Browser) -> None:
    assert [one.rpartition("/")[2] for one in page.asked] == ["report.html"]
    assert page.said == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_no_wider_than_the_window(page: Browser, width: int) -> None:
    page.size(width)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


# What a text is written in, and what lies behind it: through all that is see-through.
TEXTS = """(() => {
  const seen = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const words = walk.currentNode.textContent.trim(), one = walk.currentNode.parentElement;
    if (!words || one.tagName === 'TITLE' || one.closest('title')) continue;
    const style = getComputedStyle(one);
    const ink = one.closest('svg') ? style.fill : style.color;
    let behind = one, ground = 'rgba(0, 0, 0, 0)';
    while (behind && ground === 'rgba(0, 0, 0, 0)') {
      ground = getComputedStyle(behind).backgroundColor;
      behind = behind.parentElement;
    }
    seen.set(ink + ground, [ink, ground, one.tagName + ': ' + words.slice(0, 40)]);
  }
  return [...seen.values()];
})()"""


def contrast(one: str, other: str) -> float:
    low, high = sorted(luminance(hexadecimal(color)) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def hexadecimal(color: str) -> str:
    assert color.startswith("rgb("), f"{color} can be seen through, so nothing is known of what it looks like"
    return "#" + "".join(f"{int(part):02x}" for part in color[4:-1].split(","))


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_stands_out_from_what_lies_behind_it(page: Browser, scheme: Scheme, media: Media) -> None:
    page.look(scheme, media)
    texts = page.evaluate(TEXTS)
    assert len(texts) >= 8, "ink, quiet, links, severities, strips, patches and charts"
    faint = [(round(contrast(ink, ground), 2), where) for ink, ground, where in texts if contrast(ink, ground) < 4.5]
    assert faint == []


def test_dark_is_dark_and_paper_is_white(page: Browser) -> None:
    grounds = {}
    looks: tuple[tuple[Scheme, Media], ...] = (("light", "screen"), ("dark", "screen"), ("dark", "print"))
    for scheme, media in looks:
        page.look(scheme, media)
        grounds[scheme, media] = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert grounds["light", "screen"] == grounds["dark", "print"] == "rgb(255, 255, 255)"
    assert luminance(hexadecimal(grounds["dark", "screen"])) < 0.05


# ------------------------------------------------------------------------ paper


def test_on_paper_what_is_folded_or_scrolled_is_there(page: Browser) -> None:
    page.look(media="print")
    page.size(700)  # what A4 has between its margins
    hidden = """[...document.querySelectorAll('details > div, pre, table, svg')].filter(one =>
        !one.getBoundingClientRect().height || !one.checkVisibility({contentVisibilityAuto: true})).length"""
    cut = """[...document.querySelectorAll('.scroll, pre, ol.strip')].filter(one =>
        one.scrollWidth > one.clientWidth + 1 || getComputedStyle(one).overflowX === 'scroll')
        .map(one => one.textContent.trim().slice(0, 40))"""
    assert page.evaluate(hidden) == 0
    assert page.evaluate(cut) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_on_paper_nothing_is_torn_in_two_and_colours_are_kept(page: Browser) -> None:
    page.look(media="print")
    style = "[...document.querySelectorAll({!r})].map(one => getComputedStyle(one)[{!r}])"
    for kind in ("tr", "figure", "details", "ol.strip"):
        assert set(page.evaluate(style.format(kind, "breakInside"))) == {"avoid"}, kind
    for kind in ("h2", "h3", "caption"):
        assert set(page.evaluate(style.format(kind, "breakAfter"))) == {"avoid"}, kind
    for kind in (".graph-odd", ".break", "ins", "del", "svg.chart"):
        assert set(page.evaluate(style.format(kind, "printColorAdjust"))) == {"exact"}, kind
    assert page.evaluate("getComputedStyle(document.querySelector('.skip')).display") == "none"


def test_it_prints(page: Browser, tmp_path: Path) -> None:
    page.page.pdf(path=tmp_path / "page.pdf", prefer_css_page_size=True)
    assert (tmp_path / "page.pdf").read_bytes().count(b"/Type /Page\n") >= 3


# --------------------------------------------------------------------- keyboard

FOCUSED = """(() => {
  const one = document.activeElement, style = getComputedStyle(one);
  const all = [...document.querySelectorAll('*')];
  return [all.indexOf(one), one.tagName, style.outlineStyle, parseFloat(style.outlineWidth), style.outlineColor,
          one.getBoundingClientRect().left >= 0];
})()"""


def test_tab_goes_through_everything_in_order_and_shows_where_it_is(page: Browser) -> None:
    wanted = page.evaluate(
        "[...document.querySelectorAll('*')].flatMap((one, at) =>"
        " one.matches('a[href], summary, button, input, select, [tabindex=\"0\"]')"
        " && one.checkVisibility() ? [at] : [])"
    )
    places, tags = [], []
    for _ in wanted:
        page.press("Tab")
        at, tag, line, thick, color, inside = page.evaluate(FOCUSED)
        places.append(at)
        tags.append(tag)
        assert (line, thick >= 2, inside) == ("solid", True, True), f"focus is not to be seen on {tag}"
        assert contrast(color, page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor")) >= 3
    assert places == wanted, "in the order of the page, and nothing is a trap"
    assert tags[0] == "A", "the skip link comes first"
    assert {"A", "BUTTON", "DIV", "INPUT", "SELECT", "SUMMARY"} == set(tags)


def test_the_skip_link_leads_to_the_findings(page: Browser) -> None:
    page.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the findings"
    page.press("Enter")
    assert page.evaluate("document.activeElement.id") == "findings"
    page.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


@pytest.mark.parametrize("key", ["Enter", " "], ids=["enter", "space"])
def test_a_finding_is_folded_and_unfolded_by_a_key(page: Browser, key: str) -> None:
    page.evaluate("document.querySelector('.finding summary').focus()")
    states = []
    for _ in range(2):
        page.press(key)
        states.append(page.evaluate("document.querySelector('.finding').open"))
    assert states == [False, True]


def test_what_scrolls_can_be_reached_by_keyboard(page: Browser) -> None:
    page.size(380)
    lost = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth"
        " && one.tabIndex !== 0).length"
    )
    assert lost == 0
    assert page.evaluate("[...document.querySelectorAll('.scroll')].some(one => one.scrollWidth > one.clientWidth)")


# ------------------------------------------------------------------------ aloud


def test_whatever_takes_the_focus_has_a_name(page: Browser) -> None:
    found = [one for one in page.spoken() if one.get("focusable") and one["role"] != "RootWebArea"]
    assert {one["role"] for one in found} >= {"link", "region", "DisclosureTriangle"}
    assert [one for one in found if not one["name"].strip() and one["role"] != "heading"] == []


def test_regions_and_pictures_have_names_of_their_own(page: Browser) -> None:
    for role in ("region", "image"):
        names = [one["name"] for one in page.spoken() if one["role"] == role]
        assert names
        assert all(names)
    regions = [one["name"] for one in page.spoken() if one["role"] == "region"]
    assert len(regions) == len(set(regions))


def test_headings_leave_out_no_level_and_tables_have_heads(page: Browser) -> None:
    levels = [one["level"] for one in page.spoken() if one["role"] == "heading"]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    roles = [one["role"] for one in page.spoken()]
    tables = page.evaluate("[...document.querySelectorAll('table')].filter(one => one.checkVisibility()).length")
    assert roles.count("table") == roles.count("caption") == tables
    headless = "[...document.querySelectorAll('table')].filter(one => !one.caption || !one.tHead).length"
    assert page.evaluate(headless) == 0
    assert roles.count("columnheader") >= 8
    assert page.evaluate("[...document.querySelectorAll('tbody tr')].every(one => one.cells[0].scope === 'row')")
    assert {one["role"] for one in page.spoken()} >= {"main", "banner", "contentinfo"}


def main(folder: Path) -> None:
    """Screenshots to be looked at."""
    with tempfile.TemporaryDirectory() as room:
        page = Path(room) / "report.html"
        page.write_text(render(report(Path(room)), "html"), encoding="utf-8")
        with browser() as found:
            found.open(page)
            for scheme in SCHEMES:
                for width in WIDTHS:
                    found.look(scheme)
                    found.size(width)
                    found.page.screenshot(path=folder / f"{scheme}-{width}.png", full_page=True)
            found.page.pdf(path=folder / "print.pdf", prefer_css_page_size=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
