"""Every idiom is advice that was run: its program is recognised, breaks before, and traces after with equal results."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compilelint.checks import rulebook
from compilelint.checks.idioms import IDIOMS
from compilelint.model import Effect, Finding
from compilelint.torchfacts import load
from tests.checks.idioms.programs import Program, programs
from tests.support.reveal import run

PROGRAMS = programs()
NAMES = {one.name: one for one in IDIOMS}


def findings(source: str) -> dict[str, list[Finding]]:
    """The graph breaks that are found in a module, by the function or method they lie in."""
    book, facts = rulebook(), load("2.13.0")
    found: dict[str, list[Finding]] = {}
    for event in run(source, roots=("all",)):
        for one in book.findings_for(event, facts):
            if Effect.GRAPH_BREAK in one.effects:
                found.setdefault(one.function.rpartition(".")[2], []).append(one)
    return found


def test_every_idiom_has_a_program_and_every_program_an_idiom() -> None:
    """But for what is left where nothing is known of the statement, which gives its reason instead."""
    assert {one.idiom for one in PROGRAMS.values()} == {name for name, one in NAMES.items() if not one.unproven}
    assert len(NAMES) == len(IDIOMS)


@pytest.mark.parametrize("title", PROGRAMS)
def test_an_idiom_is_recognised_before_and_nothing_is_found_after(title: str) -> None:
    program = PROGRAMS[title]
    idiom = NAMES[program.idiom]
    found = findings(program.source)
    pattern = ".+".join(map(re.escape, idiom.help.split("{}"))) + r"(; torch hints at `[^`]+`)?"
    said = [(one.rule.code, one.help) for one in found["before"]]
    assert any(code in idiom.rules and re.fullmatch(pattern, text) for code, text in said), said
    assert [(one.rule.code, one.message) for one in found.get("after", [])] == []


@pytest.mark.parametrize(
    ("test", "arm", "is_flag"),
    [
        pytest.param("not self.done", "self.done.fill_(1)", True, id="filled"),
        pytest.param("self.done == 0", "self.done.data.copy_(torch.tensor(1))", True, id="copied"),
        pytest.param("self.done.item() == 0", "self.done = torch.tensor(1)", True, id="rebound"),
        pytest.param("self.done > 3", "self.done.fill_(1)", False, id="a bound, met again and again"),
        pytest.param("self.done.isnan().any()", "self.done.fill_(1)", False, id="its data, not a flag"),
        pytest.param("not self.done", "self.done.add_(1)", False, id="a counter"),
        pytest.param("not self.done", "self.done.copy_(x.sum())", False, id="data is kept"),
        pytest.param("not self.done", "self.mean.fill_(1)", False, id="another attribute"),
    ],
)
def test_a_flag_of_the_first_batch_is_set_to_a_constant(test: str, arm: str, is_flag: bool) -> None:
    source = (
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.register_buffer('done', torch.tensor(0.0))\n"
        "        self.register_buffer('mean', torch.zeros(3))\n\n    def forward(self, x: torch.Tensor):\n"
        f"        if {test}:\n            {arm}\n        return x - self.mean\n"
    )
    helps = [one.help for one in findings(source)["forward"]]
    assert helps
    assert (NAMES["done-for-the-first-batch"].help in helps) is is_flag


@pytest.mark.parametrize("code", sorted({code for one in IDIOMS for code in one.rules}))
def test_no_two_idioms_of_a_rule_say_the_same(code: str) -> None:
    texts = [one.help for one in IDIOMS if code in one.rules]
    assert len(set(texts)) == len(texts)


def clauses(text: str) -> list[str]:
    """The parts of a help that say something of their own: of three words and more, code counting as one."""
    closed = re.sub(r"`[^`]*`", lambda code: code.group().replace(" ", "_"), text)
    return [part for part in re.split(r"[,;:.]\s+(?:(?:or|and)\s+)?|\s+or\s+", closed) if len(part.split()) > 2]


def recorded_helps() -> set[tuple[str, str]]:
    """The code and the help of every finding in the goldens of the checks."""
    found = set()
    for path in (Path(__file__).parents[1] / "golden").glob("*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            parts = [part for part in line.split(" | ") if not re.match(r"GB\d|rewrite ", part)]
            code = re.search(r"\bCL\d+\b", parts[0])
            if code is not None and len(parts) > 2:
                found.add((code.group(), parts[-1]))
    return found


def test_a_clause_that_stands_twice_is_seen() -> None:
    said = clauses("call it outside the region, or change it there: call it outside the region")
    assert len(set(said)) < len(said)
    assert clauses("use `a or b`, or x") == []


def test_no_help_says_a_clause_twice() -> None:
    helps = recorded_helps() | {(one.name, one.help) for one in IDIOMS}
    assert len(helps) > 200
    assert [(code, text) for code, text in sorted(helps) if len(set(said := clauses(text))) < len(said)] == []


@pytest.mark.slow
@pytest.mark.dynamo
def test_what_is_proposed_breaks_no_graph_and_gives_the_same(tmp_path: Path) -> None:
    """One process for all: before ends a graph, after ends none, with equal results, gradients and refusals."""
    wrong = {title: why for title, program in PROGRAMS.items() if (why := _disproved(program, tmp_path))}
    assert wrong == {}, "\n".join(f"{title}: {why}" for title, why in wrong.items())


def _disproved(program: Program, folder: Path) -> str:
    """What a run shows against a program; empty where it holds."""
    import torch

    from tests.rules.recorder import record

    torch.manual_seed(0)
    path = folder / "idiom.py"
    path.write_text(program.source, encoding="utf-8")
    linecache.checkcache(str(path))
    names: dict[str, Any] = {}
    exec(compile(program.source, str(path), "exec"), names)
    args, more = names["args"], names.get("more", [])
    calls = [(args, names.get("after_args", args)), *((one, one) for one in more)]
    before = record(names["before"], [old for old, _ in calls], str(path))
    if not before.breaks:
        return f"before breaks no graph ({before.error})"
    after = record(names["after"], [new for _, new in calls], str(path))
    if after.breaks or after.error or not after.graphs:
        return f"after breaks {after.breaks} {after.error}"
    if not names.get("same", True):
        return ""
    seen, gradients = names.get("seen", lambda result: result), names.get("gradients", True)
    torch._dynamo.reset()
    compiled = torch.compile(names["after"], backend="eager")
    for old, new in calls:
        wanted, got = _outcome(names["before"], old, seen, gradients), _outcome(compiled, new, seen, gradients)
        try:
            torch.testing.assert_close(got, wanted, check_dtype=False, equal_nan=True)
        except AssertionError as error:
            return f"after gives another result: {error}"
    if "raises" in names:
        for function in (names["before"], compiled):
            with pytest.raises((ValueError, RuntimeError, AssertionError)):
                function(*names["raises"])
    return ""


def _outcome(
    function: Callable[..., Any], args: tuple[Any, ...], seen: Callable[[Any], Any], gradients: bool
) -> list[Any]:
    """The result of a call, and the gradients of what floats it is given."""
    import torch
    from torch.utils import _pytree

    torch.manual_seed(1)
    given = [
        one.clone().requires_grad_(gradients) if isinstance(one, torch.Tensor) and one.is_floating_point() else one
        for one in args
    ]
    leaves = [torch.as_tensor(one) for one in _pytree.tree_leaves(seen(function(*given)))]
    differentiable = [one.sum() for one in leaves if one.requires_grad]
    if differentiable:
        sum(differentiable[1:], differentiable[0]).real.backward()
    own = [one.grad for one in given if isinstance(one, torch.Tensor) and one.requires_grad]
    return [one.detach() for one in leaves] + [torch.zeros(()) if one is None else one for one in own]
