"""Which tensors share memory with an argument, by the steps back from them."""

from __future__ import annotations

import pytest

from compilelint.interp.core.origin_steps import of_an_argument
from compilelint.model import Confidence, Doubt
from compilelint.values import Origin, OriginKind, Source, Tensor

ARGUMENT = Origin("x", None, None, OriginKind.ARGUMENT)


@pytest.mark.parametrize(
    ("kind", "what", "sure"),
    [
        pytest.param(OriginKind.ITEM, "item", Confidence.CERTAIN, id="an item lies in it"),
        pytest.param(OriginKind.RESULT, ".view", Confidence.CERTAIN, id="so does a view"),
        pytest.param(OriginKind.RESULT, ".to", Doubt.LAYOUT_FOLLOWED.cap, id="a conversion may be the tensor itself"),
        pytest.param(OriginKind.RESULT, ".clone", None, id="a copy does not"),
        pytest.param(OriginKind.PLAIN, ".view", Confidence.CERTAIN, id="what is read of it, a tensor by its use"),
        pytest.param(OriginKind.MADE, "empty", None, id="nor what is made"),
    ],
)
def test_what_lies_in_an_argument(kind: OriginKind, what: str, sure: Confidence | None) -> None:
    step = Origin("y", None, Origin(what, None, ARGUMENT, kind), OriginKind.ITEM)
    assert of_an_argument(Tensor(source=Source.COMPUTED, origin=step)) is sure
