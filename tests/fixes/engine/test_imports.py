"""How a file spells a library's name, and when it cannot be spelled at all."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.edits import with_edits
from compilelint.fixes.engine.imports import Spelled, spell
from compilelint.model import Confidence, Edit, Effect, Finding, Location, Rewrite, Safety, Span
from compilelint.syntax.source import source_from_bytes
from compilelint.syntax.unreadable import Unreadable


def spelled(text: str) -> Spelled | None:
    """How `torch.where` is written where the text says `HERE`."""
    source = source_from_bytes("/p/model.py", text.encode())
    assert not isinstance(source, Unreadable)
    code = code_of(source)
    assert code is not None
    line = next(number for number, one in enumerate(text.splitlines(), 1) if "HERE" in one)
    column = text.splitlines()[line - 1].index("HERE") + 1
    return spell(code, "torch.where", Span(line, column, line, column + 4))


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("import torch\n", "torch.where"),
        ("import torch as th\n", "th.where"),
        ("from torch import where\n", "where"),
        ("import torch\nfrom torch import where as pick\n", "pick"),
    ],
)
def test_a_name_is_written_as_the_file_binds_it(head: str, text: str) -> None:
    assert spelled(f"{head}\n\ndef f(x):\n    return HERE\n") == Spelled(text)


def test_an_import_that_is_missing_is_added_below_the_others() -> None:
    found = spelled('"""About."""\nimport os\n\n\ndef f(x):\n    return HERE\n')
    assert found == Spelled("torch.where", (Edit(Span(3, 1, 3, 1), "import torch\n"),))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(torch):\n    return HERE\n", id="a parameter has the name"),
        pytest.param("def f(x):\n    torch = x\n    return HERE\n", id="a local has the name"),
        pytest.param("torch = 3\n\n\ndef f(x):\n    return HERE\n", id="a global has the name"),
        pytest.param("import other as torch\n\n\ndef f(x):\n    return HERE\n", id="another module has the name"),
        pytest.param("import torch\n\n\ndef f(torch):\n    return HERE\n", id="a parameter hides the import"),
    ],
)
def test_a_name_that_means_something_else_there_is_not_used(text: str) -> None:
    assert spelled(text) is None


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        pytest.param(
            "import os\n\nfrom .a import b\n", "import os\nimport torch\n\nfrom .a import b\n", id="its group"
        ),
        pytest.param("import os\nfrom .a import b\n", "import os\nimport torch\nfrom .a import b\n", id="no groups"),
        pytest.param("from .a import b\n", "import torch\nfrom .a import b\n", id="relative ones alone"),
        pytest.param(
            "from __future__ import annotations\n\nfrom .a import b\n",
            "from __future__ import annotations\n\nimport torch\nfrom .a import b\n",
            id="behind the future",
        ),
        pytest.param(
            "from .a import b\nimport os\n", "from .a import b\nimport os\nimport torch\n", id="where they are mixed"
        ),
    ],
)
def test_a_new_import_stands_above_relative_ones(head: str, wanted: str) -> None:
    text = f"{head}\n\ndef f(x):\n    print(x)\n"
    source = source_from_bytes("/p/net.py", text.encode())
    assert not isinstance(source, Unreadable)
    code = code_of(source)
    assert code is not None
    found = spell(code, "torch.compiler", Span(len(source.lines) - 1, 5, len(source.lines) - 1, 13))
    assert found is not None
    assert with_edits(source, found.edits) == wanted + source.text.removeprefix(head)


def test_an_import_of_the_program_is_below_too() -> None:
    source = source_from_bytes(
        "/site/mine/core/net.py", b"import os\n\nfrom mine.core import a\n\n\ndef f(x):\n    pass\n"
    )
    assert not isinstance(source, Unreadable)
    code = code_of(source)
    assert code is not None
    found = spell(code, "torch.compiler", Span(7, 5, 7, 9))
    assert found is not None
    assert with_edits(source, found.edits).startswith("import os\nimport torch\n\nfrom mine.core import a\n")


@pytest.mark.parametrize(
    ("head", "offered"),
    [
        pytest.param("from torch import nn\n", True, id="a part of it is imported"),
        pytest.param("import torch.nn as nn\n", True, id="under another name"),
        pytest.param("import logging\n", False, id="it is not imported"),
        pytest.param("", False, id="nothing is imported"),
        pytest.param("try:\n    import torch\nexcept ImportError:\n    pass\n", False, id="it may be missing"),
        pytest.param("if has_torch():\n    import torch\n", False, id="it is asked for"),
    ],
)
def test_no_fix_makes_a_file_need_torch(head: str, offered: bool) -> None:
    """A helper that prints may be loaded where no torch is."""
    source = source_from_bytes("/p/says.py", f"{head}\n\ndef f(x):\n    print(x)\n".encode())
    assert not isinstance(source, Unreadable)
    code = code_of(source)
    assert code is not None
    place = Location("/p/says.py", Span(head.count("\n") + 4, 5, head.count("\n") + 4, 13))
    rule = rulebook().rule("CL201")
    assert rule is not None
    finding = Finding(
        rule, "", (Effect.GRAPH_BREAK,), Confidence.CERTAIN, place, rewrite=Rewrite("output"), line_text="    print(x)"
    )
    assert [fix.safety for fix in proposals(finding, code)] == [Safety.SAFE] * offered
