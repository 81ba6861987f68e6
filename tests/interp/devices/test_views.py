"""Views by sizes: torch's own rule on symbols, held against torch on numbers and on random programs."""

from __future__ import annotations

import random

import pytest

from compilelint.interp.core.args import Args
from compilelint.interp.devices.views import View, view_of
from compilelint.model.sizes import ONE, PER_TENSOR, Size, Symbol, constant, of_symbol, over, times
from compilelint.values import UNKNOWN, Const, Dependence, Permuted, Scalar, Tensor, Value
from tests.support.view_programs import judged

B, N, D = (of_symbol(Symbol(PER_TENSOR + i, text)) for i, text in enumerate("bnd"))
H, W = (of_symbol(Symbol(at * PER_TENSOR, text)) for at, text in ((2, "h"), (3, "w")))
E = over(D, H) or ONE
REST = Const(-1)


def of(*sizes: Size | None, order: tuple[int, ...]) -> Tensor:
    return Tensor("float", len(sizes), layout=Permuted(order), sizes=sizes)


def number(size: Size | None) -> Value:
    return Scalar("int", Dependence.SHAPE, number=size)


def view(tensor: Tensor, *wanted: Size | Value | None) -> View:
    """The view in these sizes."""
    given = [number(one) if isinstance(one, Size) or one is None else one for one in wanted]
    return view_of("view", tensor, Args(given), 0)


HEADS = of(B, N, H, E, order=(0, 2, 1, 3))  # heads that were put behind the positions


@pytest.mark.parametrize(
    ("wanted", "raises"),
    [
        pytest.param((B, N, D), True, id="heads merged"),
        pytest.param((B, N, REST), True, id="heads merged without saying so"),
        pytest.param((B, N, UNKNOWN), True, id="by a size that is not known"),
        pytest.param((times(B, N), H, E), True, id="batch and positions merged"),
        pytest.param((B, H, N, E), None, id="positions may be as many as heads"),
        pytest.param((B, N, H, E), False, id="as it is"),
        pytest.param((B, N, H, REST), False, id="the last left out"),
        pytest.param((B, ONE, N, H, ONE, E), False, id="ones between"),
        pytest.param((B, N, REST, E), False, id="another left out"),
        pytest.param((B, N, W, REST, E), False, id="heads split by anything"),
        pytest.param((UNKNOWN, REST, D), True, id="too few dimensions"),
        pytest.param((UNKNOWN, REST, H, E), None, id="two are open"),
        pytest.param((UNKNOWN, REST, H, D), True, id="a part is too large"),
    ],
)
def test_heads_behind_positions(wanted: tuple[Size | Value, ...], raises: bool | None) -> None:
    assert view(HEADS, *wanted).raises is raises


def test_what_a_view_leaves() -> None:
    turned = of(B, D, N, order=(0, 2, 1))
    assert view(turned, B, H, REST, N) == View(False, Permuted((0, 2, 3, 1)), (B, H, E, N))
    assert view(turned, B, H, W, N) == View(False, Permuted((0, 2, 3, 1)), (B, H, W, N))
    assert view(of(B, D, N, order=(0, 1, 2)), times(B, D), N).layout == "contiguous"


def test_a_size_of_one_lies_anywhere() -> None:
    pooled = of(B, ONE, ONE, D, order=(0, 2, 3, 1))
    assert view(pooled, B, REST).raises is False
    assert view(of(B, None, None, D, order=(0, 2, 3, 1)), B, REST).raises is True


def test_a_setting_may_be_any_size() -> None:
    """`n` positions may be `h * w`, which is not said: nothing is reported unless it raises then too."""
    turned = of(B, D, N, order=(0, 2, 1))
    assert view(turned, B, D, H, W).raises is False
    assert view(turned, H, D, W, N).raises is None
    assert view(turned, B, N, D).raises is True
    assert view(turned, B, N, H).raises is True


def test_nothing_is_known_without_a_layout_or_the_number_of_dimensions() -> None:
    assert view(Tensor("float", 3, layout="strided"), B, N, D) == View(None, "", (B, N, D))
    assert view(Tensor("float", None, layout="contiguous"), B, N) == View(None)
    assert view_of("view", HEADS, Args([], star=UNKNOWN), 0) == View(None)


def test_other_operations_have_the_sizes_of_their_results() -> None:
    turned = of(B, D, N, order=(0, 2, 1))
    assert view_of("flatten", turned, Args([Const(1)]), 0).raises is True
    assert view_of("unflatten", turned, Args([Const(1), UNKNOWN]), 0).raises is None
    assert view_of("reshape", turned, Args([number(B), REST, number(N)]), 0).raises is False


@pytest.mark.dynamo
def test_numbers_as_torch_has_it() -> None:
    """Of numbers everything is known: each view is said to raise, or to lie as it does in torch."""
    import torch

    rng = random.Random(11)
    said = {True: 0, False: 0}
    for _ in range(1_500):
        rank = rng.randrange(2, 5)
        sizes = [rng.choice((1, 2, 3, 4, 6)) for _ in range(rank)]
        order = rng.sample(range(rank), rank)
        tensor = torch.zeros(sizes).permute(order)
        wanted = _sizes(rng, tensor.numel())
        known = of(*map(constant, tensor.shape), order=tuple(order))
        found = view(known, *map(Const, wanted))
        assert found.raises is not None
        said[found.raises] += 1
        if found.raises:
            with pytest.raises(RuntimeError, match="view size is not compatible"):
                tensor.view(wanted)
            continue
        lying = tensor.view(wanted)
        if isinstance(found.layout, Permuted):
            in_memory = [found.layout.order.index(place) for place in range(len(wanted))]
            assert lying.permute(in_memory).is_contiguous()
        else:
            assert (found.layout, lying.is_contiguous()) == ("contiguous", True)
    assert min(said.values()) > 300


def _sizes(rng: random.Random, total: int) -> list[int]:
    """Some sizes of so many elements."""
    found: list[int] = []
    while total > 1 and len(found) < 4 and rng.random() < 0.8:
        part = rng.choice([one for one in range(1, total + 1) if total % one == 0])
        found.append(part)
        total //= part
    return [*found, total]


@pytest.mark.dynamo
def test_random_programs() -> None:
    wrong, counts = judged(seed=5, count=250)
    assert not wrong, "\n\n".join(["", *wrong])
    assert counts["raise"] > 40
    assert counts["raise and said so"] > counts["raise"] * 0.4
