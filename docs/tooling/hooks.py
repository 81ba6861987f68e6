"""MkDocs asks here for the pages that follow from the code."""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # MkDocs runs this as a file, outside of any package

from docs.tooling.generate import generated_pages


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page a rule, the index of rules and the break ids."""
    for path, text in generated_pages():
        files.append(File.generated(config, path, content=text))
    return files
