"""Observations to reason about, without any run."""

from __future__ import annotations

from compilelint.model import ObservedBreak


def broke(line: int, path: str = "/shop/ranker.py", words: str = "Data-dependent branching") -> ObservedBreak:
    """A break of a statement of one line."""
    return ObservedBreak(
        path=path,
        line=line,
        first_line=line,
        end_line=line,
        function="Ranker.forward",
        statement="if x.sum() > 0:",
        break_id="GB0170",
        reason="data_dependent_branch",
        words=words,
        explanation="",
        stack=(),
        root=None,
        call=0,
    )
