"""The goldens of every format: one report made by hand, as each format writes it.

`python -m tests.report.golden_reports` rewrites them; `tests/report/test_goldens.py` compares.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

from compilelint import __version__
from compilelint.report.formats import FORMATS, render
from tests.report.samples import BRANCH, READ, sample

FOLDER = Path(__file__).parent / "golden"
ENDINGS = {"json": "json", "sarif": "sarif", "gitlab": "json", "junit": "xml", "markdown": "md", "html": "html"}
COMMAND = "python -m tests.report.golden_reports"


def golden(name: str) -> Path:
    """The file of a format."""
    return FOLDER / f"{name}.{ENDINGS.get(name, 'txt')}"


def written(name: str, folder: Path) -> str:
    """The sample in a format, made in an empty folder whose name does not show."""
    here = os.getcwd()
    os.chdir(folder)
    try:
        text = render(replace(sample(folder), rules=(BRANCH, READ)), name)
    finally:
        os.chdir(here)
    text = text.replace(folder.as_posix(), "/project").replace(f'"{__version__}"', '"version"')
    text = text.replace(f"<p>compilelint {__version__}</p>", "<p>compilelint version</p>")
    return json.dumps(json.loads(text), indent=1) + "\n" if name == "sarif" else text


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name in FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            golden(name).write_text(written(name, Path(folder).resolve()), encoding="utf-8")


if __name__ == "__main__":
    main()
