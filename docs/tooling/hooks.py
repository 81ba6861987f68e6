"""MkDocs asks here for the pages that follow from the code, and where links out of the site lead.

`COMPILELINT_SITE` and `COMPILELINT_REPOSITORY` name the addresses of a build, else `compilelint.model.site` does.
Without any the site works from whatever folder or address it is served, and names files of the repository unlinked.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # MkDocs runs this as a file, outside of any package

from compilelint.model import site
from compilelint.report.layout.board_html import board
from compilelint.session.commands.board_rows import read, together
from docs.tooling.generate import SCHEMA, generated_pages

_LINK = re.compile(r"\[([^\]\[]+)\]\(((?:\.\./)+[^)\s]*)\)")
_PLAYGROUND = Path(__file__).resolve().parents[2] / "playground" / "dist"
_RUNS = Path(__file__).resolve().parents[2] / "benchmarks" / "fleet"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the addresses of this build."""
    config.site_url = config.site_url or site.SITE
    config.extra["repository"] = os.environ.get("COMPILELINT_REPOSITORY") or site.REPOSITORY
    if config.extra["repository"]:
        # A plain link: `repo_url` would ask GitHub for stars on every page
        config.extra["social"] = [{"icon": "fontawesome/brands/git-alt", "link": config.extra["repository"]}]
    return config


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page with links to files of the repository as links to its address, or as their names."""
    return links_out(markdown, page.file.src_uri, config.extra["repository"])


def links_out(markdown: str, uri: str, repository: str) -> str:
    """A page's text whose links that leave docs/ lead to the repository, or are their words where it has no address."""

    def replaced(found: re.Match[str]) -> str:
        words, link = found.groups()
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(uri), link))
        if path.startswith("docs/"):
            return found[0]
        return f"[{words}]({repository}/blob/main/{path})" if repository else words

    return _LINK.sub(replaced, markdown)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page a rule, the index of rules, the break ids, the board of our runs, and the schema under its address."""
    files.append(File.generated(config, SCHEMA.name, content=SCHEMA.read_text(encoding="utf-8")))
    for path, text in generated_pages():
        files.append(File.generated(config, path, content=text))
    runs = [read(path.read_bytes()) for path in sorted(_RUNS.glob("board-*.jsonl.gz"))]
    files.append(File.generated(config, "board.html", content=board(together(runs))))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Put the playground below its page, where it was built (`npm run build` in playground/)."""
    if _PLAYGROUND.is_dir():
        shutil.copytree(_PLAYGROUND, Path(config.site_dir) / "playground" / "app", dirs_exist_ok=True)
