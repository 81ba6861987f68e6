"""The pictures of docs/screens, light and dark, from the demo as it is reported today:

    python -m benchmarks.screenshots docs/screens --all [--code-server ENTRY --extension VSIX]

makes all: the terminal as SVG at 100 columns (a lint, and the log of a run before and after its fix), the first screen
of the HTML report, three pages of the site, which it builds, and Neovim; those of VS Code where
`benchmarks.vscode_pictures` is given what it needs. It needs `chromium`, `nvim` and `tmux` on the path.
`tests/test_demo.py` compares the texts in the pictures of terminal and report with what is printed today; `report.txt`
beside the pictures keeps those of the report.

    python -m benchmarks.screenshots FOLDER [--png] [--report] [--site SITE] [-- ARGUMENTS OF COMPILELINT]

makes some. SVG needs nothing but rich. `--png` turns each into a PNG beside it, to be looked at. `--report` adds the
report, `--site` the pages of a built site (`mkdocs build --site-dir SITE`).
"""

from __future__ import annotations

import argparse
import functools
import html
import http.server
import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI, TerminalTheme
from rich.text import Text

from tests.report.browser import Scheme, browser

ROOT = Path(__file__).parent.parent
WIDTH = 100
LIGHT = TerminalTheme(
    (255, 255, 255),
    (30, 30, 30),
    [
        (0, 0, 0),
        (180, 20, 30),
        (20, 120, 40),
        (140, 100, 0),
        (20, 70, 190),
        (130, 40, 140),
        (0, 110, 130),
        (90, 90, 90),
    ],
    [
        (70, 70, 70),
        (200, 20, 40),
        (20, 130, 50),
        (150, 105, 0),
        (30, 80, 210),
        (150, 50, 160),
        (0, 120, 140),
        (0, 0, 0),
    ],
)
THEMES = {"dark": DIMMED_MONOKAI, "light": LIGHT}
SHOWN = ["fixtures/demo", "--torch-version", "2.13"]
WALK = "tests/data/traces/walk"
TERMINALS = {
    "trace": ["trace", f"{WALK}/night.log", "--checkout", WALK],
    "trace-after": ["trace", f"{WALK}/after.log", "--against", f"{WALK}/night.log", "--checkout", WALK],
}
MOST_LINES = 48
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
PAGES = {"start": "getting-started/", "rule": "rules/CL401/#rewrites", "break-id": "break-ids/#gb0170"}


def printed(arguments: list[str], width: int) -> str:
    """What the command prints on a terminal of that width, colours included."""
    main, child = pty.openpty()
    command = [sys.executable, "-m", "compilelint", *arguments, "--color", "always"]
    environment = {**os.environ, "COLUMNS": str(width)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=child) as running:
        os.close(child)
        data = b""
        try:
            while piece := os.read(main, 65536):
                data += piece
        except OSError:  # how Linux says that the other end of a pseudo terminal is closed
            pass
    os.close(main)
    if running.returncode not in (0, 1):
        raise SystemExit(running.returncode)
    return data.decode("utf-8").replace("\r\n", "\n")


def picture(ansi: str, width: int, theme: TerminalTheme, title: str) -> str:
    """The text as SVG."""
    console = Console(file=io.StringIO(), record=True, width=width, force_terminal=True, legacy_windows=False)
    for line in ansi.splitlines()[:MOST_LINES]:
        console.print(Text.from_ansi(line), soft_wrap=False)
    most = width - 30  # letters of the title are wider than those of the text, and it is not to run into the buttons
    return console.export_svg(title=title if len(title) <= most else f"{title[:most]}…", theme=theme)


def report_pictures(arguments: list[str], folder: Path) -> None:
    """The first screen of the HTML report as `report-light.png` and `report-dark.png`."""
    with tempfile.TemporaryDirectory() as room, browser() as found:
        page = Path(room) / "report.html"
        command = [sys.executable, "-m", "compilelint", *arguments, "--output", f"html:{page}", "--exit-zero"]
        subprocess.run(command, cwd=ROOT, check=True)
        for scheme in SCHEMES:
            found.look(scheme)
            found.open(page, 1400, 900)
            found.page.screenshot(path=folder / f"report-{scheme}.png")
        texts = found.evaluate(_VISIBLE)
        (folder / "report.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")


_VISIBLE = """[...document.querySelectorAll("h1, h2, h3, p, li, summary")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().bottom <= 900 && !one.querySelector("p, li"))
    .map((one) => one.textContent.split(/\\s+/).join(" ").trim())
    .filter((text) => text)"""


def texts_of(svg: str) -> str:
    """What a picture of the terminal says, without the blanks and the title of its window."""
    lines = re.findall(r"<text [^>]*clip-path[^>]*>([^<]*)</text>", svg)
    return "".join(html.unescape("".join(lines)).split())


def all_pictures(folder: Path, code_server: Path | None, extension: Path | None) -> None:
    """Every picture but that of the terminal; those of VS Code where its server and the extension are given."""
    from benchmarks import editor_pictures, vscode_pictures

    report_pictures(SHOWN, folder)
    with tempfile.TemporaryDirectory() as site:
        build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", site]
        subprocess.run(build, cwd=ROOT, check=True)
        site_pictures(Path(site), folder)
    editor_pictures.main(folder)
    if code_server is not None and extension is not None:
        vscode_pictures.main([str(folder), "--code-server", str(code_server), "--extension", str(extension)])


def site_pictures(site: Path, folder: Path) -> None:
    """`site-NAME-light.png` and `-dark.png` of each page, as a browser of that preference shows it."""
    from playwright.sync_api import sync_playwright

    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for theme in SCHEMES:
            context = chromium.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme)
            page = context.new_page()
            for name, path in PAGES.items():
                page.goto(f"http://127.0.0.1:{server.server_port}/{path}")
                page.wait_for_timeout(500)
                page.screenshot(path=folder / f"site-{name}-{theme}.png")
        chromium.close()
        server.shutdown()


def main(arguments: list[str]) -> int:
    """Write the pictures; 0 if all is well."""
    own, _, rest = " ".join(arguments).partition("-- ")
    parser = argparse.ArgumentParser(prog="benchmarks.screenshots")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--png", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--site", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--code-server", type=Path)
    parser.add_argument("--extension", type=Path)
    given = parser.parse_args(own.split())
    shown = rest.split() or SHOWN
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.all:
        all_pictures(given.folder, given.code_server, given.extension)
    elif given.report:
        report_pictures(shown, given.folder)
    for name, command in {"terminal": shown, **({} if rest else TERMINALS)}.items():
        terminal_pictures(given.folder, name, command, given.png)
    if given.site is not None:
        site_pictures(given.site, given.folder)
    return 0


def terminal_pictures(folder: Path, name: str, arguments: list[str], png: bool) -> None:
    """What a command prints, as `NAME-light.svg` and `NAME-dark.svg`, and as PNG beside them where that is wanted."""
    ansi = printed(arguments, WIDTH)
    for scheme, theme in THEMES.items():
        svg = folder / f"{name}-{scheme}.svg"
        svg.write_text(picture(ansi, WIDTH, theme, "compilelint " + " ".join(arguments)), encoding="utf-8")
        if png:
            window = f"--window-size={WIDTH * 13},{min(ansi.count(chr(10)), MOST_LINES) * 25 + 80}"
            command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", window]
            target = f"--screenshot={svg.with_suffix('.png').resolve()}"
            subprocess.run([*command, target, svg.resolve().as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
