"""What is known of a compile call."""

from __future__ import annotations

from compilelint.model import Location, Span
from compilelint.project.compile_calls import CompileCall

PLACE = Location("/a.py", Span(1, 1, 1, 2))


def test_a_call_is_resolved_where_nothing_speaks_against_it_also_without_a_root_of_ours() -> None:
    assert CompileCall(PLACE, "torch.compile", ("f",)).resolved is True
    assert CompileCall(PLACE, "torch.compile").resolved is True
    assert CompileCall(PLACE, "torch.compile", reason="it is made elsewhere").resolved is False
