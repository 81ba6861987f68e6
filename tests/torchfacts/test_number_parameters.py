"""The number parameters against torch's own schemas."""

from __future__ import annotations

import pytest

from compilelint.torchfacts.number_parameters import NUMBER_NAMES, NUMBER_POSITIONS, takes_number


def test_a_number_is_recognised_by_name_and_by_place() -> None:
    assert takes_number("add", "alpha")
    assert takes_number("full_like", 1)
    assert not takes_number("full_like", 0)
    assert not takes_number("add", 1)


# `aten::sum` and others have overloads for Python objects without tensors; `prim` and `_` names are no API.
TEXT = frozenset({"number", "int", "float", "Scalar", "SymInt", "bool"})


@pytest.fixture(scope="module")
def types() -> dict[tuple[str, int | str], set[str]]:
    """The kinds of each argument of each operation, by position and by name, over all overloads that take a tensor."""
    import torch

    found: dict[tuple[str, int | str], set[str]] = {}
    for schema in torch._C._jit_get_all_schemas():
        space, _, operation = schema.name.partition("::")
        if space != "aten" or (operation.startswith("_") or not schema.arguments):
            continue
        if "Tensor" not in str(schema.arguments[0].type):
            continue
        for place, argument in enumerate(schema.arguments):
            kind = str(argument.type).removeprefix("Optional[").removesuffix("]").removeprefix("List[")
            if "Dimname" in kind or kind == "str":
                continue
            for where in (place, argument.name):
                found.setdefault((operation, where), set()).add(kind)
    return found


@pytest.mark.dynamo
@pytest.mark.parametrize("name", sorted(NUMBER_NAMES))
def test_the_name_means_a_number_in_every_schema(name: str, types: dict[tuple[str, int | str], set[str]]) -> None:
    kinds = {kind for (_, where), found in types.items() if where == name for kind in found}
    assert kinds
    assert kinds <= TEXT


@pytest.mark.dynamo
@pytest.mark.parametrize("operation", sorted(NUMBER_POSITIONS))
def test_the_place_holds_a_number_in_every_schema(operation: str, types: dict[tuple[str, int | str], set[str]]) -> None:
    for place in NUMBER_POSITIONS[operation]:
        assert types[operation, place] <= TEXT
