"""Recorded cases: which of their files belong to their library, and the names of what breaks elsewhere."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.fixes.cases import below_site, broken_cases, chosen, repository, with_own_file

CASE: dict[str, Any] = {
    "case": "net/A/eval",
    "library": "net",
    "breaks": [
        {"file": "net/a.py", "line": 3, "secondary": None},
        {"file": "other/b.py", "line": 4, "secondary": None},
        {"file": "net/c.py", "line": 5, "secondary": "constructor"},
    ],
    "traced_lines": {"net/a.py": [1], "net/models/m.py": [2], "net/helper.py": [3], "torchvision/t.py": [4]},
}


def recorded(folder: Path, *cases: dict[str, Any]) -> str:
    path = folder / "truth.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in cases)
    return str(path)


def test_the_files_of_a_case_are_those_of_its_library_what_breaks_first(tmp_path: Path) -> None:
    clean = {**CASE, "case": "net/B/eval", "breaks": [CASE["breaks"][1]]}
    assert broken_cases([recorded(tmp_path, CASE, clean)]) == {"net/A/eval": ["net/a.py", "net/models/m.py"]}


def test_where_no_file_is_that_of_a_model_all_that_were_traced_belong_to_it(tmp_path: Path) -> None:
    case = {**CASE, "traced_lines": {"net/a.py": [1], "net/helper.py": [3]}}
    assert broken_cases([recorded(tmp_path, case)])["net/A/eval"] == ["net/a.py", "net/helper.py"]


def test_a_larger_sample_holds_the_smaller_one() -> None:
    broken = {f"case{number}": [f"net/{number}.py"] for number in range(20)}
    assert chosen(broken, None, 9)[:4] == chosen(broken, None, 4)


def test_names_are_those_below_the_site_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["/opt/site"])
    files = ["net/a.py"]
    assert below_site("/scratch/net/a.py", files) == "net/a.py"
    assert below_site("/scratch/net/deep/z.py", files) == "net/deep/z.py"
    assert below_site("/opt/site/vision/t.py", files) == "vision/t.py"


def test_a_case_has_its_own_file_among_links_to_the_rest(tmp_path: Path) -> None:
    (tmp_path / "site/net/models").mkdir(parents=True)
    for name in ("__init__.py", "models/m.py", "models/n.py"):
        (tmp_path / "site/net" / name).write_text("x = 1\n")
    with repository(tmp_path / "site/net") as site:
        root = site.parent / "case"
        root.mkdir()
        with_own_file(root, site, Path("net/models/m.py"))
        (root / "net/models/m.py").write_text("x = 2\n")
        assert (site / "net/models/m.py").read_text() == "x = 1\n"
        assert (root / "net/models/n.py").is_symlink()
        assert (site.parent / ".git").is_dir()
