"""MkDocs asks here for the pages that follow from the code."""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # MkDocs runs this as a file, outside of any package

from compilelint.report.layout.board_html import board
from compilelint.session.commands.board_rows import read, together
from docs.tooling.generate import SCHEMA, generated_pages

_RUNS = Path(__file__).resolve().parents[2] / "benchmarks" / "fleet"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page a rule, the index of rules, the break ids, the board of our runs, and the schema under its address."""
    files.append(File.generated(config, SCHEMA.name, content=SCHEMA.read_text(encoding="utf-8")))
    for path, text in generated_pages():
        files.append(File.generated(config, path, content=text))
    runs = [read(path.read_bytes()) for path in sorted(_RUNS.glob("board-*.jsonl.gz"))]
    files.append(File.generated(config, "board.html", content=board(together(runs))))
    return files
