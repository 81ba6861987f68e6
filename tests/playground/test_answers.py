"""What the playground's page is answered, with and without what a browser lacks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import libcst
import pytest

from playground.python import native
from playground.python.answers import MOST_CHARACTERS, Answers
from tests.playground.examples import EXAMPLES, answers_of_examples

ROOT = Path(__file__).parents[2]
FOUND = {
    "branches": {"CL101", "CL201"},
    "counters": {"CL701", "CL702"},
    "devices": {"CL303", "CL304", "CL306"},
    "gradients": {"CL501", "CL502", "CL503"},
    "layouts": {"CL401", "CL402"},
    "modes": {"CL714", "CL821", "CL826"},
    "selection": {"CL120"},
    "values": {"CL102"},
    "whole": set(),
}
PROGRAM = """import torch


@torch.compile
def f(x: torch.Tensor):
    y = x * 2
    print(y.shape)
    return y + x.sum().item()
"""

MATCH = "\nmatch factor:\n    case 1:\n        pass"
FUNCTION = """import torch

factor = 2
{elsewhere}


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):{inside}
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad


@torch.compile
def f(x: torch.Tensor):
    return Scale.apply(x, 2)
"""


def checked(text: str, torch: str = "2.13.0") -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(Answers().check(text, torch))
    return answer


def codes(answer: dict[str, Any]) -> list[str]:
    return [one["code"] for one in answer["findings"]]


def test_each_example_shows_its_idiom() -> None:
    found = {file.stem: set(codes(checked(file.read_text("utf-8"), ""))) for file in EXAMPLES}
    assert found == FOUND


def test_the_page_offers_each_example() -> None:
    offered = (EXAMPLES[0].parents[1] / "examples.js").read_text("utf-8")
    assert [file.stem for file in EXAMPLES if f'"./examples/{file.name}"' not in offered] == []
    listed = re.search(r"ordered = \[(.*)\]", offered)
    assert listed is not None
    assert sorted(listed[1].split(", ")) == sorted(FOUND)


def test_a_browser_without_threads_and_extensions_is_answered_the_same() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.playground.like_a_browser"]
    run = subprocess.run(command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.stderr == ""
    assert run.stdout == answers_of_examples()


@pytest.mark.parametrize(
    ("inside", "elsewhere", "found"),
    [
        pytest.param("", "", True, id="syntax that the parser reads"),
        pytest.param("", MATCH, True, id="newer syntax elsewhere in the file"),
        pytest.param(MATCH.replace("\n", "\n        "), "", False, id="newer syntax in the class that it looks at"),
    ],
)
def test_a_rule_on_trees_is_left_out_with_a_notice_where_its_code_has_newer_syntax(
    monkeypatch: pytest.MonkeyPatch, inside: str, elsewhere: str, found: bool
) -> None:
    monkeypatch.setattr(libcst, "native", native, raising=False)
    answer = checked(FUNCTION.format(inside=inside, elsewhere=elsewhere))
    assert ("CL510" in codes(answer)) is found
    assert any("were not applied: LibCST" in one["text"] for one in answer["notices"]) is not found


def test_findings_and_graphs_stand_on_their_lines() -> None:
    answer = checked(PROGRAM)
    assert [(one["code"], one["span"]) for one in answer["findings"]] == [
        ("CL201", [7, 5, 7, 19]),
        ("CL102", [8, 16, 8, 30]),
    ]
    (root,) = answer["roots"]
    assert (root["name"], root["title"]) == ("f", "2 graph breaks, 3 graphs expected")
    assert [(one["kind"], one["lines"]) for one in root["stretches"]] == [
        ("graph", [5, 6]),
        ("break", [7, 7]),
        ("break", [8, 8]),
    ]


def test_a_fix_comes_with_its_diff_and_the_whole_text() -> None:
    answers = Answers()
    answers.check(PROGRAM, "2.13.0")
    (fix,) = json.loads(answers.fixes())
    assert (fix["finding"], fix["safety"]) == (0, "safe")
    assert fix["text"] == PROGRAM.replace("    print", "    if not torch.compiler.is_compiling():\n        print")
    assert [line for line in fix["diff"] if line[0] in "+-"] == [
        "-    print(y.shape)",
        "+    if not torch.compiler.is_compiling():",
        "+        print(y.shape)",
    ]


def test_hover_says_what_is_believed() -> None:
    answers = Answers()
    answers.check(PROGRAM, "2.13.0")
    hover = json.loads(answers.hover(8, 16))
    assert hover["span"] == [8, 16, 8, 17]
    assert hover["words"][0].startswith("```text\ntensor")
    assert json.loads(answers.hover(1, 1)) is None


def test_a_rule_is_explained_by_its_page() -> None:
    page = json.loads(Answers().rule("CL101"))
    assert page.startswith("# CL101 branch-on-tensor")
    assert "## Good" in page


def test_the_version_of_torch_decides() -> None:
    answers = Answers()
    about = json.loads(answers.about())
    assert about["torch"][0] == "2.15.0"
    assert about["torch"][-1] == "2.6.0"
    found = {torch: json.loads(answers.check(PROGRAM, torch))["torch"] for torch in about["torch"]}
    assert found == {torch: torch for torch in about["torch"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("def f(:\n    pass\n", "invalid syntax", id="no Python"),
        pytest.param("x = 1\0\n", "null byte", id="a byte that no program holds"),
    ],
)
def test_what_is_no_program_is_answered_in_the_tools_own_words(text: str, words: str) -> None:
    (found,) = checked(text)["findings"]
    assert found["code"] == "CL901"
    assert words in found["message"]


def test_what_cannot_be_read_is_refused_and_leaves_nothing() -> None:
    answers = Answers()
    answers.check(PROGRAM, "2.13.0")
    half_a_character = json.loads(answers.check("x = '\ud800'", "2.13.0"))
    assert "utf-8" in half_a_character["refusal"].lower()
    assert "longer than" in json.loads(answers.check("#" * (MOST_CHARACTERS + 1), "2.13.0"))["refusal"]
    assert answers.fixes() == "[]"
    assert answers.hover(8, 16) == "null"


def test_what_runs_leave_behind_is_looked_through_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    monkeypatch.setattr("playground.python.answers.MOST_RUNS", 4)
    monkeypatch.setattr("gc.collect", lambda generation=2: collected.append(generation))
    answers = Answers()
    for number in range(3):
        answers.check(PROGRAM + f"\n\ndef g{number}(x): ...\n", "2.13.0")
    assert 2 not in collected
    answers.rest()
    assert collected.count(2) == 1
    for number in range(8):
        answers.check(PROGRAM + f"\n\nclass C{number}: ...\n", "2.13.0")
    assert collected.count(2) >= 2, "without a rest"


def test_an_answer_after_an_edit_is_that_of_a_fresh_start() -> None:
    answers = Answers()
    answers.check(PROGRAM, "2.13.0")
    answers.rest()
    edited = PROGRAM.replace("x * 2", "x * 3 if x.sum() > 0 else x")
    assert json.loads(answers.check(edited, "2.13.0")) == checked(edited)
