"""How state differs after a call: each kind of change as Dynamo was seen to answer it."""

from __future__ import annotations

from compilelint.events import StateChange
from tests.support.reveal import run


def changes(source: str) -> list[tuple[str, str, str]]:
    """Name, home and kind of each change."""
    found = [event for event in run(source) if isinstance(event, StateChange)]
    return [(event.name, event.where, event.how) for event in found]


def test_an_int_of_an_enclosing_function_varies_one_of_a_module_counts() -> None:
    """Measured: two versions for the first (dynamic from the second call on), eight for the second."""
    enclosing = """
        def make():
            calls = 0

            @torch.compile
            def step(x: Tensor):
                nonlocal calls
                calls += 1
                return x * calls

            return step
    """
    module = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.calls = 0

            def forward(self, x: Tensor):
                self.calls += 1
                return x * self.calls
    """
    assert changes(enclosing) == [("calls", "closure", "varies")]
    assert changes(module) == [("self.calls", "self", "counts")]


def test_a_text_of_an_enclosing_function_counts() -> None:
    """Only a number can be made dynamic."""
    enclosing = """
        def make():
            seen = ""

            @torch.compile
            def step(x: Tensor):
                nonlocal seen
                seen += "x"
                return x * len(seen)

            return step
    """
    assert changes(enclosing) == [("seen", "closure", "counts")]
