"""What is said of each compile call: the functions it compiles, or why they are not known."""

from __future__ import annotations

import pytest

from compilelint.events import Event
from compilelint.interp import Interpreter, roots_of
from compilelint.model import Confidence
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
    ("text", "reason"),
    [
        pytest.param(
            "from nowhere import f\ndef main():\n  return torch.compile(f.build())",
            "what `f.build(...)` returns is not known",
            id="a result of a missing package",
        ),
        pytest.param(
            "def main(model):\n  return torch.compile(model)",
            "`model` is a parameter of `main`, and what callers pass is not known",
            id="an argument that no caller gives",
        ),
        pytest.param(
            "def main(args):\n  return torch.compile(args.model, dynamic=True)",
            "what `args.model` holds is not known",
            id="an attribute of one",
        ),
        pytest.param(
            "from nowhere import build\ndef main():\n  model = build()\n  model = torch.compile(model)\n  return model",
            "`model` comes from `build(...)`, and what that returns is not known",
            id="a name that the call binds again",
        ),
        pytest.param(
            "def main(layers):\n  for block in layers:\n    block.compile(fullgraph=True)",
            "what `block` runs over is not known",
            id="the target of a loop",
        ),
        pytest.param(
            "def main(model):\n  model.compile()",
            "`model` is a parameter of `main`, and what callers pass is not known",
            id="in place, nothing asked for",
        ),
        pytest.param(
            "class Lit:\n  def __init__(self, net: nn.Module):\n    self.net = net\n"
            "  def setup(self):\n    self.net = torch.compile(self.net)",
            "what `self.net` holds is not known, but that it is a module",
            id="a module of any class",
        ),
    ],
)
def test_what_is_not_known_is_said_with_a_reason(text: str, reason: str) -> None:
    (call,) = calls(text)
    assert (call.roots, call.reason, call.resolved) == ((), reason, False)


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


@pytest.mark.parametrize("decorator", ["torch.compile", "torch.compile()", "partial(torch.compile, dynamic=True)"])
def test_a_decorator_that_is_never_reached_is_unresolved(decorator: str) -> None:
    (call,) = calls(
        f"from functools import partial\ndef main():\n  return 1\n  @{decorator}\n  def step(x): ...\n  return step"
    )
    assert (call.how, call.roots, call.resolved) == ("torch.compile", (), False)


def test_a_method_of_that_name_on_what_is_no_module_is_no_compile_call() -> None:
    assert calls("import re\nclass Rules:\n  def compile(self): ...\ndef f(): return Rules().compile()") == []
    assert calls("def f(keras): keras.compile(optimizer='adam', loss='mse')") == []


def test_a_call_that_one_caller_gives_what_is_not_known_is_resolved_in_part() -> None:
    (call,) = calls(
        "from nowhere import g\ndef f(x): ...\ndef fast(fn):\n  return torch.compile(fn)\na = fast(f)\nb = fast(g())"
    )
    assert (call.roots, call.resolved) == (("f",), False)


LATER = """
import torch
from torch import nn

class Block(nn.Module):
    def forward(self, x): return x

waiting = []

def put(model):
    waiting.append(model)

"""


@pytest.mark.parametrize(
    ("text", "roots"),
    [
        pytest.param("put(Block())", ("Block.forward",), id="a run shows what the model is"),
        pytest.param("put(unknown())", (), id="not known to a run either"),
    ],
)
def test_what_only_a_run_of_the_program_shows_is_resolved_by_it(text: str, roots: tuple[str, ...]) -> None:
    (call,) = calls(f"{LATER}{text}\nfor one in waiting:\n    one.compile(fullgraph=True)")
    assert (call.roots, call.resolved) == (roots, bool(roots))


def test_a_look_up_of_the_compiled_name_from_a_method_takes_nothing_back() -> None:
    (call,) = calls("""
        from torch.nn.attention.flex_attention import create_block_mask

        create_block_mask = torch.compile(create_block_mask)

        class Server:
            def __init__(self):
                self.mask = create_block_mask(1)

            def run(self):
                for _ in range(3):
                    self.mask.seq_lengths()

        def main():
            Server().run()
    """)
    assert call.resolved


def test_a_model_taken_from_the_namespace_of_its_module_is_found() -> None:
    program, modules = program_of(
        sources(
            {
                "models.py": "class Net(nn.Module):\n  def forward(self, x): return x\ndef net(): return Net()",
                "app.py": "import models\ndef main():\n  net = models.__dict__['net']()\n  net.compile()",
            }
        )
    )
    (call,) = roots_of(Interpreter(program, facts(), lambda event: None), modules, ("explicit",)).calls
    assert (call.how, call.roots, call.resolved) == ("torch.nn.Module.compile", ("Net.forward",), True)


def test_what_a_class_that_is_not_followed_wraps_is_compiled_with_it() -> None:
    (call,) = calls("from nowhere import Wrapper\ndef f(x): ...\n\ng = torch.compile(Wrapper(f, keys=['x']))")
    assert (call.roots, call.reason) == (("f",), "")


def test_a_wrapper_of_nothing_that_is_known_stays_unresolved() -> None:
    (call,) = calls("from nowhere import Wrapper\n\ng = torch.compile(Wrapper(keys=['x']))")
    assert (call.roots, call.reason) == ((), "`nowhere.Wrapper` was not found, or its source is not followed")


def test_a_method_of_something_that_was_not_found_stays_unresolved() -> None:
    (call,) = calls("from nowhere import Env\n\nenv = Env()\nenv.step = torch.compile(env.step)")
    assert (call.roots, call.reason) == ((), "`nowhere.Env.step` was not found, or its source is not followed")


def test_a_method_of_torch_has_nothing_to_follow() -> None:
    (call,) = calls("opt = torch.optim.SGD([torch.zeros(1)])\nstep = torch.compile(opt.step)")
    assert call.reason == ""


def test_what_a_wrapped_function_hands_back_is_no_surer_than_the_function() -> None:
    seen: list[Event] = []
    text = (
        "from nowhere import Wrapper\ndef f(x):\n  def g(y):\n    print(y)\n  return g\n\nh = torch.compile(Wrapper(f))"
    )
    program, modules = program_of(sources(text))
    interpreter = Interpreter(program, facts(), seen.append)
    interpreter.analyse(roots_of(interpreter, modules, ("explicit",)))
    assert [event.site.cap for event in seen if event.breaks] == [Confidence.LIKELY]
