"""A real headless browser, spoken to through a pair of pipes: no driver, no network, nothing but the browser itself."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Browser:
    """One page. `events` are all that the browser said of itself: console, network, exceptions."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self.events: list[dict[str, Any]] = []
        self._out = os.fdopen(to_browser, "wb", buffering=0)
        self._in = os.fdopen(from_browser, "rb", buffering=0)
        self._rest = b""
        self._number = 0
        self._session = ""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser something, and give what it answers. Raises RuntimeError where it refuses."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = self._in.read(1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self._rest += part
        whole, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(whole)
        return message

    def open(self, page: Path, width: int = 1200, height: int = 900) -> None:
        """Load a page and wait until it is there; what was said before is forgotten."""
        self.size(width, height)
        self.events.clear()
        self.ask("Page.navigate", url=page.as_uri())
        while not any(one.get("method") == "Page.loadEventFired" for one in self.events):
            self.events.append(self._next())

    def size(self, width: int, height: int = 900) -> None:
        """The size of the window, in CSS pixels."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def look(self, scheme: str = "light", media: str = "screen") -> None:
        """Light or dark, screen or print."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page. Raises RuntimeError where it throws."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key: str, shift: bool = False) -> None:
        """A key of the keyboard, down and up."""
        code = {"Tab": 9, "Enter": 13, " ": 32}[key]
        common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
        typed = {"text": "\r"} if key == "Enter" else {"text": " "} if key == " " else {}
        modifiers = 8 if shift else 0
        self.ask("Input.dispatchKeyEvent", type="keyDown", modifiers=modifiers, **common, **typed)
        self.ask("Input.dispatchKeyEvent", type="keyUp", modifiers=modifiers, **common)

    def shot(self, path: Path) -> None:
        """The whole page as a picture."""
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def printed(self, path: Path) -> None:
        """The page as the printer gets it, changed by no setting of `look`."""
        self.ask("Emulation.setEmulatedMedia", media="", features=[])
        data = self.ask("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self) -> list[str]:
        """What the console, the network and scripts had to say."""
        said = []
        for one in self.events:
            if one.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                said.append(json.dumps(one["params"]))
        return said

    def requests(self) -> list[str]:
        """Everything that was asked for over the network or from files."""
        return [
            one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"
        ]


def program() -> str:
    """The browser. Raises AssertionError with what to install where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "no browser: apt-get install chromium"
    return found


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with its profile in `folder`, ended afterwards."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    words = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --remote-debugging-pipe"
    line = f'exec 3<&{to_read} 4>&{from_write}; exec "$0" {words} "$1" about:blank'
    command = ["bash", "-c", line, program(), f"--user-data-dir={folder / 'profile'}"]
    with subprocess.Popen(
        command, pass_fds=(to_read, from_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        os.close(to_read)
        os.close(from_write)
        try:
            yield Browser(to_write, from_read)
        finally:
            process.kill()
