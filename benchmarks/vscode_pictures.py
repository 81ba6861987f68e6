"""Pictures of the extension in VS Code: code-server (VS Code in a browser) with the packaged extension, in Chromium.

    python -m benchmarks.vscode_pictures FOLDER --code-server ENTRY --extension VSIX

`npm install code-server@4.96.4` brings ENTRY, `out/node/entry.js`; `npm run package` in editors/vscode makes the VSIX.
It opens the same file as `benchmarks.editor_pictures`, waits until the status bar counts graphs, and draws the findings
with inlay hints and lenses, a hover, the quick fixes and the HTML report as `vscode-NAME-light.png` and `-dark.png`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.editor_pictures import project

if TYPE_CHECKING:
    from playwright.sync_api import Page

THEMES = {"light": "Default Light Modern", "dark": "Default Dark Modern"}
SECONDS = 120
SETTINGS = {
    "compilelint.interpreter": sys.executable,
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "editor.minimap.enabled": False,
    "editor.fontSize": 14,
    "telemetry.telemetryLevel": "off",
}


def main(arguments: list[str]) -> int:
    """Write the pictures; 0 if all is well."""
    parser = argparse.ArgumentParser(prog="benchmarks.vscode_pictures")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--code-server", type=Path, required=True)
    parser.add_argument("--extension", type=Path, required=True)
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, theme in THEMES.items():
        with project() as (top, environment), served(given.code_server, given.extension, top, environment, theme) as at:
            drawn(f"{at}/?folder={top / 'gate'}", given.folder, name)
    return 0


@contextmanager
def served(entry: Path, extension: Path, top: Path, environment: dict[str, str], theme: str) -> Iterator[str]:
    """The address of an editor of our own, with the extension and no other, in a theme."""
    user = top / "user"
    (user / "User").mkdir(parents=True)
    settings = {**SETTINGS, "workbench.colorTheme": theme}
    (user / "User" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    own = ["node", str(entry), "--user-data-dir", str(user), "--extensions-dir", str(top / "extensions")]
    subprocess.run([*own, "--install-extension", str(extension)], env=environment, check=True, capture_output=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check"]
    process = subprocess.Popen(
        [*own, *quiet, "--bind-addr", f"127.0.0.1:{port}"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(SECONDS):
            try:
                urllib.request.urlopen(f"{address}/healthz", timeout=5).close()
                break
            except (OSError, urllib.error.URLError):
                time.sleep(1)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def drawn(address: str, folder: Path, theme: str) -> None:
    """Open the file and draw what is shown."""
    from playwright.sync_api import sync_playwright

    def picture(name: str, height: int = 420) -> None:
        clip = {"x": 0, "y": 35, "width": 1180, "height": height}
        page.screenshot(path=folder / f"vscode-{name}-{theme}.png", clip=clip)  # type: ignore[arg-type]

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = chromium.new_context(viewport={"width": 1180, "height": 640}).new_page()
        page.goto(address)
        page.locator(".explorer-folders-view").get_by_text("gate.py").dblclick(timeout=SECONDS * 1000)
        page.locator(".statusbar-item", has_text="graphs").wait_for(timeout=SECONDS * 1000)
        page.locator(".squiggly-error").first.wait_for(timeout=SECONDS * 1000)
        page.keyboard.press("Control+B")
        page.wait_for_timeout(2000)
        picture("findings", 605)
        go_to(page, "13:25")
        page.keyboard.press("Control+K")
        page.keyboard.press("Control+I")
        page.locator(".monaco-hover", has_text="tensor bool").first.wait_for(timeout=SECONDS * 1000)
        page.wait_for_timeout(1000)
        picture("hover")
        page.keyboard.press("Escape")
        go_to(page, "12:20")
        page.keyboard.press("Control+.")
        page.locator(".action-widget", has_text="Suppress").wait_for(timeout=SECONDS * 1000)
        page.wait_for_timeout(1000)
        picture("fixes", 605)
        page.keyboard.press("Escape")
        page.keyboard.press("F1")
        page.keyboard.type("compilelint: Open the HTML Report")
        page.wait_for_timeout(1500)
        page.keyboard.press("Enter")
        report = page.frame_locator("iframe.webview").frame_locator("iframe")
        report.locator("h1").first.wait_for(timeout=SECONDS * 1000)
        page.wait_for_timeout(1000)
        picture("report", 605)
        chromium.close()


def go_to(page: Page, place: str) -> None:
    """Put the cursor at `LINE:COLUMN`."""
    page.keyboard.press("Control+G")
    page.wait_for_timeout(800)
    page.keyboard.type(place)
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
