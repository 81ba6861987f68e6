"""What is said of each compile call: the functions it compiles, or why they are not known."""

from __future__ import annotations

import pytest

from compilelint.interp import Interpreter, roots_of
from compilelint.project.compile_calls import CompileCall
from tests.support.reveal import facts, program_of, sources


def calls(text: str) -> list[CompileCall]:
    """The compile calls of a program, as a run hands them on."""
    program, modules = program_of(sources(text))
    return roots_of(Interpreter(program, facts(), lambda event: None), modules, ("explicit",)).calls


def test_a_call_names_what_it_compiles_and_where() -> None:
    (call,) = calls("def f(x): ...\n\ng = torch.compile(f)")
    assert (call.how, call.roots, call.reason, call.resolved) == ("torch.compile", ("f",), "", True)
    assert call.location.span.line == 4  # one more than written: the prelude


def test_one_call_may_compile_several_functions() -> None:
    (call,) = calls("def f(x): ...\ndef g(x): ...\nboth = [torch.compile(h) for h in (f, g)]")
    assert set(call.roots) == {"f", "g"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "from nowhere import f\ndef main():\n  return torch.compile(f.build())", id="of a missing package"
        ),
        pytest.param("def main(model):\n  return torch.compile(model)", id="an argument that no caller gives"),
        pytest.param("def main(args):\n  return torch.compile(args.model, dynamic=True)", id="an attribute of one"),
    ],
)
def test_what_is_not_known_is_said_with_a_reason(text: str) -> None:
    (call,) = calls(text)
    assert not call.resolved
    assert (call.roots, call.reason) == ((), "what it is given is not known")


def test_an_argument_is_known_once_a_caller_gives_it() -> None:
    (call,) = calls("def f(x): ...\ndef fast(model):\n  return torch.compile(model)\ng = fast(f)")
    assert call.roots == ("f",)
    assert call.resolved


@pytest.mark.parametrize("target", ["torch.sin", "nn.Linear(3, 3)"])
def test_what_torch_owns_is_resolved_and_has_nothing_to_judge(target: str) -> None:
    (call,) = calls(f"g = torch.compile({target})")
    assert (call.roots, call.resolved) == ((), True)


def test_code_that_is_never_reached_is_unresolved() -> None:
    (call,) = calls("def f(x): ...\ndef main():\n  return f\n  torch.compile(f)")
    assert (call.how, call.roots, call.resolved) == ("torch.compile", (), False)
