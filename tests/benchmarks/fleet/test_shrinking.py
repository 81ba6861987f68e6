"""Configurations are cut by the meaning of their names: of those that say something of each layer, what is left."""

from __future__ import annotations

from typing import Any

from benchmarks.fleet.shrinking import VOCABULARY, Cut, small


class Inner:
    """A configuration that refuses to be compared, as those do that differ by layer."""

    model_type = "inner"

    def __init__(self, hidden_size: int = 256) -> None:
        self.hidden_size = hidden_size

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def __eq__(self, other: object) -> bool:
        raise AttributeError("ambiguous")

    __hash__ = None  # type: ignore[assignment]


class Outer(Inner):
    """One as transformers has them."""

    model_type = "outer"

    def __init__(self, **given: Any) -> None:
        self.num_hidden_layers = 6
        self.intermediate_size = [512, 512, 512, 1024, 1024, 1024]
        self.activation_sparsity = [0.9, 0.9, 0.0, 0.0, 0.0, 0.0]
        self.vocab_size: int | None = None
        self.pad_token_id = 50_000
        self.text = Inner()
        vars(self).update(given)


def test_what_is_said_of_each_layer_is_cut_with_the_layers() -> None:
    made = small(Outer(), Cut())
    assert made.num_hidden_layers == 2
    assert made.intermediate_size == [64, 64]
    assert made.activation_sparsity == [0.9, 0.9]
    assert small(Outer(), Cut(1, layers=0, image=0)).intermediate_size == [512, 512, 512, 1024, 1024, 1024]


def test_what_a_model_cannot_do_without_is_named() -> None:
    made = small(Outer(), Cut())
    assert made.vocab_size == VOCABULARY
    assert made.pad_token_id < VOCABULARY


def test_configurations_inside_are_cut_and_never_compared() -> None:
    assert small(Outer(), Cut()).text.hidden_size == 32
