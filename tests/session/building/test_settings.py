"""What a project sets by default: options, fields and keys, and what is no plain value."""

from __future__ import annotations

import ast
from pathlib import Path

from compilelint.session.building.settings import settings_of
from compilelint.session.building.sources import Kind, Source


def values(folder: Path, text: str, **files: str) -> dict[str, str]:
    """The settings of a source and some files beside it."""
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content, encoding="utf-8")
    return settings_of(str(folder), [Source("a.py", "a", ast.parse(text), Kind.LIBRARY)]).values


def test_options_of_a_parser(tmp_path: Path) -> None:
    text = """
p.add_argument("-w", "--hidden-width", default=8)
p.add_argument("--deep", action="store_true")
p.add_argument("--kind", choices=["a", "b"])
p.add_argument("--n", type=int, required=True)
p.add_argument("--device", default="cuda:0")
p.add_argument("--none", type=int)
p.add_argument("--made", default=make())
"""
    found = values(tmp_path, text)
    assert found == {"hidden_width": "8", "deep": "False", "kind": "'a'", "n": "1", "device": "'cpu'"}


def test_fields_of_dataclasses_and_configurations_alone(tmp_path: Path) -> None:
    text = "@dataclass\nclass A:\n    a: int = 1\n    b: int = f()\n"
    text += "class ModelConfig:\n    c = (1, 2)\nclass Other:\n    d = 4\n"
    assert values(tmp_path, text) == {"a": "1", "c": "(1, 2)"}


def test_keys_of_files_beside_the_code(tmp_path: Path) -> None:
    yaml = "model:\n  width: 8\n  name: small net\n  on: true\n  base: &a 3\n  list:\n    - 1\n"
    json = '{"deep": {"depth": 2, "sizes": [1, 2]}, "x": {}}'
    found = values(tmp_path, "", c__yaml=yaml, config__json=json, o__json='{"no": 1}')
    assert found == {"width": "8", "name": "'small net'", "on": "True", "depth": "2", "sizes": "[1, 2]"}


def test_a_broken_file_costs_itself(tmp_path: Path) -> None:
    assert values(tmp_path, "", config__json="{", c__yaml="a: 1\n") == {"a": "1"}
