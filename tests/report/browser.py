"""A real headless browser for tests: the system's Chromium, driven by Playwright, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, sync_playwright

Scheme = Literal["light", "dark"]
Media = Literal["screen", "print"]


class Browser:
    """One page. `said` is what its console and scripts said, `asked` all that it asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, file: Path, width: int = 1200, height: int = 900) -> None:
        """Load a page and wait until it is there; what was said before is forgotten."""
        self.size(width, height)
        self.said.clear()
        self.asked.clear()
        self.page.goto(file.as_uri())

    def size(self, width: int, height: int = 900) -> None:
        """The size of the window, in CSS pixels."""
        self.page.set_viewport_size({"width": width, "height": height})

    def look(self, scheme: Scheme = "light", media: Media = "screen") -> None:
        """Light or dark, screen or print."""
        self.page.emulate_media(media=media, color_scheme=scheme)

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page. Raises playwright's Error where it throws."""
        return self.page.evaluate(script)

    def press(self, *keys: str) -> None:
        """Keys of the keyboard, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def spoken(self) -> list[dict[str, Any]]:
        """What a program that reads the page aloud is given, ignored nodes left out."""
        session = self.page.context.new_cdp_session(self.page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        return [
            {
                "role": one["role"]["value"],
                "name": one.get("name", {}).get("value", ""),
                **{each["name"]: each["value"].get("value") for each in one.get("properties", [])},
            }
            for one in nodes
            if not one.get("ignored")
        ]


def program() -> str:
    """The browser. Raises AssertionError with what to install where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "no browser: apt-get install chromium"
    return found


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser with a profile of its own, ended afterwards."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program(), args=["--no-sandbox", "--disable-gpu"])
        try:
            yield Browser(started.new_page(offline=True))
        finally:
            started.close()
