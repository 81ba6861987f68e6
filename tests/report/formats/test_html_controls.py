"""What the script of the HTML report does in a real browser: filters, search, links, theme, keys; and the page without
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from compilelint.report.formats import render
from tests.report.browser import Browser, browser
from tests.report.formats.test_html_in_browser import report

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium", "apt-get install chromium")]


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
    found.evaluate("localStorage.clear()")
    return found


def cards(page: Browser, key: str = "rule") -> list[str]:
    """What the findings that can be seen have in `data-KEY`."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('details.finding')].filter(one => one.checkVisibility())"
        f".map(one => one.dataset.{key})"
    )
    return found


def said(page: Browser) -> str:
    return page.page.locator("#shown").text_content() or ""


def focused(page: Browser) -> str:
    """The id of the finding that has the focus."""
    found: str = page.evaluate("(document.activeElement.closest('details.finding') || {id: ''}).id")
    return found


def test_a_rule_a_file_and_a_root_are_filtered_by(page: Browser) -> None:
    everything = cards(page)
    rule = everything[0]
    page.page.select_option("#of-rule", rule)
    assert cards(page) == [rule] * everything.count(rule) != everything
    assert said(page).endswith("findings shown")
    page.page.click("text=Show all")
    page.page.wait_for_function("!document.getElementById('shown').textContent")
    assert cards(page) == everything
    page.page.select_option("#of-file", "0")
    assert set(cards(page, "file")) == {"0"}
    page.press("Escape", "Escape")
    page.page.select_option("#of-root", "0")
    assert cards(page)
    assert all("0" in one.split() for one in cards(page, "roots"))


def test_a_severity_is_taken_out_and_put_back(page: Browser) -> None:
    severities = set(cards(page, "severity"))
    assert len(severities) > 1
    one = min(severities)
    page.page.uncheck(f"input[value={one}]")
    assert set(cards(page, "severity")) == severities - {one}
    page.page.check(f"input[value={one}]")
    assert set(cards(page, "severity")) == severities


def test_search_looks_at_all_of_a_finding_for_every_word(page: Browser) -> None:
    everything = cards(page)
    page.press("/")
    page.page.keyboard.type("PRINT forward")
    assert 0 < len(cards(page)) < len(everything)
    texts = page.page.locator("details.finding:visible").all_text_contents()
    assert all("print" in one.lower() and "forward" in one.lower() for one in texts)
    page.press("Escape", "Escape")
    assert page.evaluate("document.activeElement.id") != "search"
    assert cards(page) == everything


def test_j_and_k_go_through_the_findings_that_are_shown(page: Browser) -> None:
    page.page.select_option("#of-rule", cards(page)[0])
    page.evaluate("document.activeElement.blur()")
    ids = page.evaluate("[...document.querySelectorAll('details.finding:not([hidden])')].map(one => one.id)")
    page.press("j")
    assert focused(page) == ids[0]
    page.press(*"jj" if len(ids) > 2 else "j")
    last = focused(page)
    assert last == ids[min(2, len(ids) - 1)]
    page.press("k")
    assert focused(page) == ids[ids.index(last) - 1]
    before = page.evaluate(f"document.getElementById('{focused(page)}').open")
    page.press("Enter")
    assert page.evaluate(f"document.getElementById('{focused(page)}').open") is not before


def test_x_unfolds_and_folds_all(page: Browser) -> None:
    folded = "document.querySelectorAll('details.finding:not([open])').length"
    assert page.evaluate(folded) > 0
    page.press("x")
    assert page.evaluate(folded) == 0
    page.press("x")
    assert page.evaluate("document.querySelectorAll('details.finding[open]').length") == 0


def test_a_break_of_a_strip_leads_to_its_finding_filtered_or_not(page: Browser) -> None:
    link = page.page.locator("ol.strip a").first
    wanted = (link.get_attribute("href") or "").removeprefix("#")
    rule = page.evaluate(f"document.getElementById('{wanted}').dataset.rule")
    page.page.select_option("#of-rule", next(one for one in cards(page) if one != rule))
    assert page.evaluate(f"document.getElementById('{wanted}').hidden")
    link.click()
    page.page.wait_for_function(f"document.getElementById('{wanted}').open")
    assert focused(page) == wanted
    assert page.evaluate(f"document.getElementById('{wanted}').checkVisibility()")


def test_the_findings_of_a_strip_are_one_click_away(page: Browser) -> None:
    button = page.page.locator("button.of-root").first
    root = button.get_attribute("data-root") or ""
    button.click()
    assert page.page.locator("#of-root").input_value() == root
    assert cards(page)
    assert all(root in one.split() for one in cards(page, "roots"))


def test_light_or_dark_is_chosen_and_remembered(shown: tuple[Browser, Path], page: Browser) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.press("t", "t")
    dark = page.evaluate(ground)
    assert dark != light
    page.open(shown[1], 1280)
    assert page.evaluate(ground) == dark, "it is remembered"
    page.look("light", "print")
    assert page.evaluate(ground) == light == "rgb(255, 255, 255)", "paper is white"
    page.look("dark")
    page.press("t", "t")
    assert page.evaluate(ground) == light, "light, where the system is dark"


def test_the_keys_are_explained(page: Browser) -> None:
    page.press("?")
    assert page.page.locator("dialog").is_visible()
    assert "search the findings" in (page.page.locator("dialog").text_content() or "")
    page.press("j")
    assert focused(page) == "", "nothing moves behind it"
    page.press("Escape")
    assert not page.page.locator("dialog").is_visible()


def test_keys_typed_into_the_search_are_letters(page: Browser) -> None:
    page.press("/", "j", "x", "?")
    assert page.page.locator("#search").input_value() == "jx?"
    assert not page.page.locator("dialog").is_visible()


def test_no_other_script_or_style_takes_effect(page: Browser) -> None:
    """The policy of the page, should anything ever slip through."""
    page.evaluate(
        "(() => { const one = document.createElement('script'); one.textContent = 'window.pwned = 1';"
        " document.body.append(one); document.body.setAttribute('onclick', 'window.pwned = 2');"
        " const image = document.createElement('img'); image.src = 'http://127.0.0.1/x'; document.body.append(image);"
        " const sheet = document.createElement('style'); sheet.textContent = 'h1 { color: rgb(1, 2, 3) }';"
        " document.head.append(sheet); })()"
    )
    page.page.click("h1")
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") != "rgb(1, 2, 3)"
    assert len([one for one in page.said if "Content Security Policy" in one]) == 4, "each is refused, the image too"


def test_without_its_script_the_page_is_whole(shown: tuple[Browser, Path]) -> None:
    browser_of = shown[0].page.context.browser
    assert browser_of is not None
    plain = browser_of.new_page(java_script_enabled=False)
    plain.goto(shown[1].as_uri())
    assert plain.locator("details.finding").count() > 10
    assert plain.locator("ol.strip").count() > 1
    for control in ("#filters", ".tools", ".of-root"):
        assert not plain.locator(control).first.is_visible(), control
    plain.close()
