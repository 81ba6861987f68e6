"""A line without a finding says why: not read, not reached, or accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.interp.core import clock
from compilelint.session.commands.why import why
from compilelint.session.explaining.silence import Caller, callers_of
from tests.support.why_asked import explained, module

LATE = "def late(x):\n    return x.foo()  # here\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param("N = 1  # here\ndef f(:\n", "the file is not analysed: ", id="not parsed"),
        pytest.param("N = 1  # here\n", "the line runs at module or class level, once", id="module level"),
        pytest.param("# here\n", "there is no code on the line", id="a comment"),
        pytest.param(
            module('"""Doc."""  # here', "return x"), "the line is the head of `Net.forward`", id="a docstring"
        ),
        pytest.param("def f(x: Tensor):  # here\n    return x\n", "the line is the head of `f`", id="a head"),
        pytest.param(
            "@torch.compiler.disable\ndef f(x: Tensor):\n    return x.item()  # here\n",
            "Dynamo does not enter `f`: a decorator keeps it out (line 5)",
            id="disabled",
        ),
        pytest.param(
            module("return x", init="self.n = config.n  # here"), "`Net.__init__` is a constr", id="constructor"
        ),
        pytest.param(LATE, "no compile root reaches `late`", id="no root"),
        pytest.param(LATE, "no call of that name is in the linted files", id="no call"),
        pytest.param(LATE, "`--roots auto --roots 'app:late'` checks it as if it were compiled", id="how to judge it"),
        pytest.param(
            LATE + "\n\nclass K:\n    def go(self, y):\n        return late(y)\n",
            "a call of that name is at ",
            id="a call that is not reached either",
        ),
        pytest.param(
            "def f(path):\n    return path.read()  # here\n",
            "it is not checked as if it were compiled, since its parameters are neither annotated nor used as tensors",
            id="nothing says tensor",
        ),
        pytest.param(
            module("if torch.jit.is_scripting():", "    x = x.item()  # here", "return x"),
            "the function is run, but the line is not reached: `torch.jit.is_scripting()` on line 11 is false",
            id="dead while compiling",
        ),
        pytest.param(
            module("return torch.relu(x)  # here"),
            "Dynamo accepts what happens here: call torch.relu: stays in the graph; measured, torch 2.13.0",
            id="accepted, by a fact",
        ),
        pytest.param(
            "import elsewhere\n\n\n" + module("return elsewhere.f(x)  # here"),
            "what Dynamo does there is not known, and so nothing is claimed: call elsewhere.f",
            id="no fact",
        ),
        pytest.param(
            "import numpy as np\n\n\n"
            + module("a = self.t[k]  # here", "return x", params="self, x: Tensor, k", init="self.t = np.ones(3)"),
            "nothing on the line needs the data of a tensor",
            id="an array",
        ),
        pytest.param(module("y = x + 1  # here", "return y"), "nothing on the line needs the data", id="recorded"),
        pytest.param(
            module("n = 1 + 2  # here", "return x * n"),
            "no value of the line is a tensor",
            id="no tensor",
        ),
        pytest.param(
            module("n = k  # here", "return x", params="self, x: Tensor, k"),
            "what the values of the line are is unknown",
            id="unknown values",
        ),
    ],
)
def test_the_first_reason_that_holds_is_given(tmp_path: Path, text: str, sentence: str) -> None:
    found = explained(tmp_path, text)
    assert not found.is_reported
    assert any(one.startswith(sentence) for one in found.silence), found.silence


def test_what_is_reported_has_no_silence(tmp_path: Path) -> None:
    assert explained(tmp_path, module("return x.item()  # here")).silence == ()


def test_a_file_that_is_left_out_says_so(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("N = 1\n", encoding="utf-8")
    found = explained(tmp_path, module("return x.item()  # here"), exclude=("app.py",))
    assert found.silence[0].startswith("the file is not linted: ")


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_bytes(b"")
    found = why(Options((str(tmp_path),), torch_version="2.13.0"), str(tmp_path / "app.py"), 1)
    assert found.silence == ("the file is empty",)


def test_an_entry_that_is_not_judged_says_so(tmp_path: Path) -> None:
    more = "    @torch.no_grad()\n    def measured(self, tokens):\n        return tokens.unsqueeze(0).numpy()  # here\n"
    found = explained(tmp_path, module("return x", more=more) + "\n\nnet = torch.compile(Net())\n")
    assert found.silence[0] == "`Net.measured` looks like an entry point, but no linted code compiles it"


@pytest.mark.parametrize(
    ("lines", "helper", "sentence"),
    [
        pytest.param(
            ("return x.item()  # here",),
            "return x",
            "the function is run, but the line is not reached: the analysis of `Net.forward` was broken off before",
            id="in the root itself",
        ),
        pytest.param(
            ("return self.late(x)",),
            "return x.item()  # here",
            "the roots of this file took longer than `--timeout` allows, and were skipped: Net.forward",
            id="in what it would have called",
        ),
    ],
)
def test_a_root_that_took_too_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...], helper: str, sentence: str
) -> None:
    monkeypatch.setattr(clock, "_BODIES_A_LOOK", 1)
    found = explained(tmp_path, module(*lines, more=f"    def late(self, x):\n        {helper}\n"), timeout=1e-9)
    assert any(one.startswith(sentence) for one in found.silence), found.silence


def test_calls_are_found_by_spelling() -> None:
    text = "f(1)\nclass K:\n    def g(self):\n        self.f(2)\n        return h.f\n"
    assert callers_of("f", [("a.py", text), ("b.py", "f(:\n"), ("c.py", "g()\n")]) == [
        Caller("a.py", 1, ""),
        Caller("a.py", 4, "K.g"),
    ]
