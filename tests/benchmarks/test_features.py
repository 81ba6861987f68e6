"""Where the CPU of a lint goes: what a look at a stack counts as, and the tables."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import compilelint
from benchmarks import features
from benchmarks.features import Looks
from benchmarks.measuring import checked

HOME = os.path.dirname(compilelint.__file__)


@pytest.mark.parametrize(
    ("file", "room"),
    [
        (f"{HOME}/interp/core/frame.py", "interp/core"),
        (f"{HOME}/survey/words.py", "survey"),
        (f"{HOME}/rulebook.py", "rulebook"),
        (f"{HOME}/interp/__init__.py", "interp"),
        pytest.param(f"{HOME}/syntax/stack.py", "", id="stands below everything"),
        pytest.param("/usr/lib/python3/ast.py", "", id="not ours"),
        pytest.param(f"{HOME}-other/survey/words.py", "", id="another package"),
    ],
)
def test_a_file_belongs_to_a_room(file: str, room: str) -> None:
    assert features.room_of(file) == room


def test_a_look_belongs_to_the_innermost_room_and_counts_once_for_each() -> None:
    looks = Looks(cpu=4.0)
    core, calls = f"{HOME}/interp/core/frame.py", f"{HOME}/interp/calls/calls.py"
    looks.take(["/usr/lib/ast.py", f"{HOME}/syntax/parse.py", core, calls, core])
    looks.take([calls])
    looks.take(["/usr/lib/ast.py"])
    looks.take([f"{HOME}/survey/words.py"])
    looks.findings["survey"] = 7
    assert looks.own == {"syntax": 1, "interp/calls": 1, "outside": 1, "survey": 1}
    assert looks.within == {"syntax": 1, "interp/core": 1, "interp/calls": 2, "interp": 2, "survey": 1}
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in features.table(looks).splitlines()]
    assert ["`interp/calls`", "1.00", "25.0%", "50%"] in rows
    assert ["`survey`", "1.00", "25.0%", "7"] in rows


def test_every_rule_that_listens_belongs_to_an_analyser() -> None:
    found = features.analyser_of()
    assert found["CL101"] == "interp"
    assert set(found.values()) == set(features.ANALYSERS.values())


def test_a_lint_is_looked_at(tmp_path: Path) -> None:
    file, out = tmp_path / "small.py", tmp_path / "looks.json"
    file.write_text("import torch\n\n\n@torch.compile\ndef f(x):\n    print(x)\n    return x\n", encoding="utf-8")
    checked([sys.executable, "-m", "benchmarks.features", str(out), "check", str(file), "--torch-version", "2.13"])
    looks = features.read(out)
    assert looks.count > 3
    assert looks.findings == {"interp": 1}
    assert sum(looks.own.values()) == looks.count
