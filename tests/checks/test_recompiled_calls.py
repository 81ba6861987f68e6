"""CL714 to CL716: what a call that compiles again costs, by what the program sets (each run on torch 2.13)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.model import Effect
from compilelint.session.commands.lint import lint

PROGRAM = """
import torch
import torch._dynamo

def step(x, text):
    return x * len(text)

f = torch.compile(step, backend="eager", fullgraph={whole})
{setting}
for text in ("a", "ab", "abc", "abcd"):
    f(torch.ones(3), text)
"""


@pytest.mark.parametrize(
    ("setting", "whole", "raises", "words"),
    [
        pytest.param("torch._dynamo.config.recompile_limit = 2", True, True, "after 2", id="a whole graph, beyond it"),
        pytest.param("torch._dynamo.config.recompile_limit = 2", False, False, "runs uncompiled", id="with breaks"),
        pytest.param("torch._dynamo.config.recompile_limit = 64", True, False, "after 64", id="within the limit"),
        pytest.param("pass", True, False, "after 8", id="torch's own limit"),
        pytest.param("torch.compiler.set_stance('default')", True, False, "after 8", id="the usual stance"),
        pytest.param(
            "f(torch.ones(3), '')\ntorch.compiler.set_stance('fail_on_recompile')",
            False,
            True,
            "so the call raises",
            id="the stance refuses",
        ),
    ],
)
def test_what_a_further_version_costs(tmp_path: Path, setting: str, whole: bool, raises: bool, words: str) -> None:
    (tmp_path / "app.py").write_text(PROGRAM.format(setting=setting, whole=whole), encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13"))
    (found,) = [one for one in report.findings if one.rule.code == "CL714"]
    assert (Effect.ERROR in found.effects, words in found.why) == (raises, True)


NUMBERS = """
import torch

table = torch.ones(64, 4)

@torch.compile(backend="eager", dynamic={dynamic})
def step(x, n):
    {body}

for n in (8, 16, 32):
    {call}
"""
CALL = "step(torch.ones(4), n)"
IN_LOOP = """
import torch

def step(x):
    return x * epoch

for epoch in range(3):
    {made}
    for _ in range(2):
        fast(torch.ones(4))
"""


def _help(tmp_path: Path, program: str, code: str) -> str:
    (tmp_path / "app.py").write_text(program, encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13"))
    (found,) = [one for one in report.findings if one.rule.code == code]
    return found.help or ""


@pytest.mark.parametrize(
    ("body", "dynamic", "words", "absent"),
    [
        pytest.param(
            "return x * table[:n].sum()", None, "compile with `dynamic=True`, or round", "pass `n`", id="a bound"
        ),
        pytest.param(
            "return x * table[:n + 1].sum()", None, "compile with `dynamic=True`, or round", "pass `n`", id="plus one"
        ),
        pytest.param(
            "return x * table[1:n, 0].sum()", False, "in place of `dynamic=False`", "pass `n`", id="where it is refused"
        ),
        pytest.param("return x * table[n]", None, "index_select", "0-d tensor:", id="a row that is read"),
        pytest.param("table[n] = x; return x * 2", None, "index_copy_", "0-d tensor:", id="a row that is written"),
        pytest.param(
            "table[n] = x; return table[:n].sum()", None, "bound of a slice", "pass `n`", id="a row and a bound"
        ),
        pytest.param(
            "for _ in range(n): x = x + 1\n    return x", True, "a few values", "dynamic=True", id="a count of a loop"
        ),
        pytest.param("return x + 1 if n > 9 else x", None, "torch.where", "dynamic=True", id="a test"),
        pytest.param("return x * n", None, "pass `n` as a tensor, or compile with", "slice", id="a factor"),
        pytest.param(
            "return x * [1, 2, 3, 4][n // 16]", False, "pass `n` as a tensor", "slice", id="an item of a list"
        ),
    ],
)
def test_help_fits_what_the_number_is_for(
    tmp_path: Path, body: str, dynamic: bool | None, words: str, absent: str
) -> None:
    """Each was run: a tensor breaks as a bound (0 graphs) and as a count; 0-d, it is guarded by its value as a row."""
    text = _help(tmp_path, NUMBERS.format(body=body, dynamic=dynamic, call=CALL), "CL714")
    assert words in text
    assert absent not in text


@pytest.mark.parametrize(
    ("made", "once"),
    [
        pytest.param('fast = torch.compile(step, backend="eager")', True, id="compiled in the loop"),
        pytest.param(
            'fast = torch.compile(step, backend="eager") if not epoch else fast', False, id="compiled the first time"
        ),
    ],
)
def test_a_compile_call_in_the_loop_is_what_help_is_about(tmp_path: Path, made: str, once: bool) -> None:
    text = _help(tmp_path, IN_LOOP.format(made=made), "CL716")
    assert text.startswith("compile once, before the loop") is once
