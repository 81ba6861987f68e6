"""Which expressions may be computed although their value is not wanted."""

from __future__ import annotations

import ast

import pytest

from compilelint.fixes import code_of
from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.purity import is_pure
from compilelint.syntax.source import source_from_bytes
from compilelint.syntax.unreadable import Unreadable

IMPORTS = "import numpy as np\nimport torch\nimport torch.nn.functional as F\nimport zlib\n"


def code(text: str) -> Code:
    source = source_from_bytes("/p/model.py", text.encode())
    assert not isinstance(source, Unreadable)
    made = code_of(source)
    assert made is not None
    return made


@pytest.mark.parametrize(
    "expression",
    ["x * 2 + y[0]", "x.sum()", "torch.add(x, 1)", "F.relu(x)", "x.shape[0]", "(x, [y])", "len(x)"],
)
def test_tensor_math_is_pure(expression: str) -> None:
    assert is_pure(ast.parse(expression, mode="eval").body, code(IMPORTS))


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("x.add_(1)", "writes in place"),
        ("torch.add(x, 1, out=y)", "writes into another tensor"),
        ("F.relu(x, inplace=True)", "writes in place when asked to"),
        ("torch.relu_(x)", "writes in place by its name"),
        ("torch.rand(3)", "draws"),
        ("F.dropout(x)", "draws"),
        ("torch.save(x, 'a')", "is no tensor math"),
        ("np.sqrt(x)", "is a function of another library, before torch by its name"),
        ("zlib.sqrt(x)", "is a function of another library, behind torch by its name"),
        ("layer(x)", "could do anything"),
        ("self.layer(x)", "could do anything"),
        ("x.sum(*dims)", "is given what is out of sight"),
        ("torch.add(**given)", "is given what is out of sight"),
        ("[y for y in x]", "runs a loop"),
        ("(y := x)", "binds a name"),
    ],
)
def test_whatever_may_have_an_effect_is_not(expression: str, why: str) -> None:
    assert not is_pure(ast.parse(expression, mode="eval").body, code(IMPORTS)), why
