"""What the engine hands over to a rewrite."""

from __future__ import annotations

from typing import get_args

from compilelint.fixes.engine import registry
from compilelint.model import Rewrite
from compilelint.model.rewrite import RewriteName


def test_a_fact_is_looked_up_by_its_name() -> None:
    known = Rewrite("branch", (("dtype", "bool"), ("rank", 0), ("always", False)))
    assert (known.fact("dtype"), known.fact("rank"), known.fact("always")) == ("bool", 0, False)
    assert known.fact("array") is None


def test_every_name_has_a_rewrite_and_every_rewrite_a_name() -> None:
    assert registry.names() | registry.names(proven=True) == set(get_args(RewriteName))
