"""How an annotation is spelled in an operator's schema, and which types have no spelling."""

from __future__ import annotations

import ast

import pytest

from compilelint.fixes.rewrites.host_functions import kind_of


@pytest.mark.parametrize(
    ("annotation", "spelled"),
    [
        ("int", "SymInt"),
        ("torch.Tensor", "Tensor"),
        ("Optional[int]", "SymInt?"),
        ("int | None", "SymInt?"),
        ("None | torch.Tensor", "Tensor?"),
        ("tuple[int, int]", "SymInt[]"),
        ("Tuple[int]", "SymInt[]"),
        pytest.param("tuple[float, int]", None, id="not all are integers"),
        pytest.param("tuple[Net]", None, id="a class of the program"),
        pytest.param("tuple[int, ...]", None, id="of any length"),
        pytest.param("list[int]", None, id="a list, which a schema copies"),
        pytest.param("int | float", None, id="two kinds"),
        pytest.param("int | float | None", None, id="two kinds or none"),
        pytest.param("np.ndarray", None, id="an array"),
        pytest.param("'int'", None, id="a text"),
    ],
)
def test_the_kind_of_an_annotation(annotation: str, spelled: str | None) -> None:
    assert kind_of(ast.parse(annotation, mode="eval").body) == spelled
