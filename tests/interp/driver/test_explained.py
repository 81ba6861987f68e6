"""What the interpreter notes of one line: visits of the function around it, events in every context, nothing else."""

from __future__ import annotations

import pytest

from compilelint.events import Event
from compilelint.interp import roots_of
from compilelint.interp.driver.explained import Explainer, LineQuestion, functions_around
from compilelint.interp.driver.interpreter import Interpreter
from compilelint.torchfacts import load
from tests.support.reveal import program_of, sources

PROGRAM = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.made = self.helper(torch.ones(2))
    def forward(self, x: Tensor, n: int):
        y = self.helper(x)
        z = self.helper(y + 1)
        def inner(a):
            return a.item()  # inner
        if n:
            return inner(x), z
        return y
    def helper(self, x):
        return x.sum().item()  # helper
"""


def asked(mark: str) -> tuple[LineQuestion, list[Event], list[Event]]:
    """The question about a marked line, and the events that an explainer and a plain interpreter hand on."""
    texts = sources({"app.py": PROGRAM})
    found: list[list[Event]] = []
    for explains in (True, False):
        program, modules = program_of(texts)
        (path,) = [one.ir.path for one in modules]
        (line,) = [n for n, one in enumerate(texts[path].splitlines(), 1) if mark in one]
        question, events = LineQuestion(path, line), list[Event]()
        facts = load("2.13.0")
        if explains:
            answered = question
            interpreter: Interpreter = Explainer(program, facts, events.append, watched={path}, question=question)
        else:
            interpreter = Interpreter(program, facts, events.append)
        interpreter.analyse(roots_of(interpreter, modules, ("auto",), interpreter.config, modules))
        found.append(events)
    return answered, found[0], found[1]


def test_an_explainer_hands_on_what_the_interpreter_does() -> None:
    _, explained, plain = asked("# helper")
    assert [(type(one), one.site.pos, one.site.cap) for one in explained] == [
        (type(one), one.site.pos, one.site.cap) for one in plain
    ]


def test_each_run_of_the_function_is_a_visit_and_what_only_learns_is_none() -> None:
    question, _, _ = asked("# helper")
    assert {visit.function.node.qualname for visit in question.visits} == {"Net.helper"}
    assert {visit.context.root for visit in question.visits} == {"Net.forward"}
    assert all(visit.stop_before(question.line) is None for visit in question.visits)


def test_an_event_is_noted_in_every_visit_also_where_it_is_handed_on_once() -> None:
    question, _, _ = asked("# helper")
    reads = [visit for visit, event in question.events if getattr(event, "name", "") == "torch.Tensor.item"]
    assert {id(one) for one in reads} == {id(one) for one in question.visits}
    assert len(question.visits) > 1
    assert len(reads) >= len(question.visits)


def test_the_functions_around_a_line_are_outer_before_inner() -> None:
    question, _, _ = asked("# inner")
    assert [one.qualname for one in question.functions] == ["Net.forward", "Net.forward.<locals>.inner"]
    assert {visit.function.node.name for visit in question.visits} == {"forward", "inner"}
    assert question.module is not None
    assert functions_around(question.module, 1) == []


@pytest.mark.parametrize("mark", ["# helper", "# inner"])
def test_only_events_of_the_line_are_noted(mark: str) -> None:
    question, _, _ = asked(mark)
    assert question.events
    assert {event.site.location.span.line for _, event in question.events} == {question.line}
