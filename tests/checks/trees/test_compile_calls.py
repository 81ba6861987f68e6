"""Calls that compile are found on trees under every name, and stand where the engine says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.lint import lint
from tests.support.survey_events import codes, found


def test_places_count_from_the_expression() -> None:
    (one,) = found("def f(m):\n    torch.compile(m)")
    assert one.location.span == (3, 5, 3, 21)
    assert (one.rule.code, one.function, one.roots) == ("CL804", "f", ("f",))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(torch, m):\n    torch.compile(m)", id="a parameter hides the module"),
        pytest.param("def f(m):\n    torch = m\n    torch.compile(m)", id="a local hides the module"),
        pytest.param("def compile(m): return m\ndef f(m): compile(m)", id="a function of that name"),
        pytest.param("def f(): 'torch.compile(m)'", id="text"),
    ],
)
def test_names_mean_what_their_scope_says(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(m):\n    import torch as t\n    t.compile(m)", id="imported inside"),
        pytest.param("compile_ = torch.compile\ndef f(m): compile_(m)", id="another name"),
        pytest.param("def f(m):\n    def g():\n        torch.compile(m)\n    return g", id="nested function"),
        pytest.param("class A:\n    def f(self, m):\n        torch.compile(m)", id="method"),
        pytest.param("with open('x') as m:\n    torch.compile(m)", id="block"),
    ],
)
def test_compile_is_known_under_any_name(text: str) -> None:
    assert codes(text) == ["CL804"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("for m in [torch.compile(n) for n in ns]:\n    use(m)", id="what a loop goes over"),
        pytest.param("for n in ns:\n    @torch.compile\n    def f(x): return x", id="a decorator"),
        pytest.param("for n in ns:\n    f = lambda: torch.compile(m)", id="in a lambda"),
        pytest.param("for n in ns:\n    f = torch.compile(m) if n else m", id="one of two"),
        pytest.param("for _ in ns:\n    fs.append(torch.compile(Net(4)))", id="a module that is made in each round"),
    ],
)
def test_what_runs_once_or_is_another_each_time_is_not_repeated(text: str) -> None:
    assert "CL805" not in codes(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("f = torch.compile(m, 'max-autotune')", ["CL812"], id="a mode by place"),
        pytest.param("f = torch.compile(*given)", [], id="what is given is not known"),
        pytest.param("f = torch.compile(m, options={'tritn.cudagraphs': True})", ["CL812"], id="an option misspelt"),
        pytest.param("f = torch.compile(m, options={'triton.cudagraphs': False})", [], id="an option of Inductor"),
        pytest.param("f = torch.compile(m, options={'max-autotune': True})", [], id="an option with a hyphen"),
        pytest.param("f = torch.compile(m, backend=mine, options={'own': 1})", [], id="an option of another backend"),
        pytest.param(
            "class P:\n    @property\n    def f(self): return torch.compile(self.net)", ["CL805"], id="in a property"
        ),
        pytest.param(
            "class P:\n    @functools.cached_property\n    def f(self): return torch.compile(self.net)",
            [],
            id="in a property that is kept",
        ),
    ],
)
def test_arguments_and_places_that_torch_refuses_or_repeats(text: str, expected: list[str]) -> None:
    assert [code for code in codes(text) if code in ("CL805", "CL812")] == expected


def test_a_tuple_is_reported_with_its_parentheses_wherever_its_statement_stands() -> None:
    text = """
x = 1
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward((x, 1))
        return x
    @staticmethod
    def backward(ctx, g): return g
"""
    (one,) = found(text)
    assert (one.rule.code, one.location.span) == ("CL511", (7, 31, 7, 37))


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        pytest.param("import torch\npattern = re.compile('torch.compile')\n", False, id="the words alone"),
        pytest.param("import torch\nf = torch.compile(len)\n", True, id="a call"),
    ],
)
def test_libcst_is_imported_for_a_file_that_compiles(tmp_path: Path, text: str, opens: bool) -> None:
    import subprocess

    (tmp_path / "m.py").write_text(text, encoding="utf-8")
    code = (
        "import sys; from compilelint.config import Options; from compilelint.session.commands.lint import lint; "
        "lint(Options((sys.argv[1],))); sys.exit('libcst' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == opens


def test_a_rule_that_raises_costs_itself_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from compilelint.checks.trees import compile_calls

    def fail(*_: object) -> None:
        raise ValueError("too bad")

    monkeypatch.setattr(compile_calls.ResultDiscarded, "compiles", fail)
    (tmp_path / "m.py").write_text(
        "import torch\nfor m in ms:\n    torch.compile(m)\n    m = torch.compile(f, mode='x')\n"
    )
    report = lint(Options((str(tmp_path),)))
    assert sorted(one.rule.code for one in report.findings) == ["CL805", "CL812", "CL903"]
    assert "rule CL804 (result-discarded) of compilelint failed here: ValueError: too bad" in [
        one.message for one in report.findings
    ]
