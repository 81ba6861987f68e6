"""What is read of a module, unit by unit, and where it stands after an edit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compilelint.project.classes import ClassInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.project.loader import load_source
from compilelint.project.outline import PLAIN, STARS, STATEMENTS, WHOLE, outline_of
from compilelint.project.reads import Reads, moves, reads_of
from compilelint.syntax import ir
from compilelint.syntax.facts import Noted, aside, fact, noting, plain_statements, unnoted
from compilelint.syntax.source import Source
from compilelint.values import ClassRef

TEXT = """\
LIMIT = 3


def first(x):
    return x


class Net:
    def forward(self, x):
        return x

    def other(self, x):
        return -x
"""


def lowered(text: str) -> ir.Module:
    module = load_source(Source("/m.py", text), "m", False)
    assert isinstance(module, ir.Module)
    return module


class Files:
    """One module that is linted and lies in no part of ours."""

    def load(self, dotted: str) -> ir.Module | None:
        return lowered(TEXT) if dotted == "m" else None

    def is_package(self, dotted: str) -> bool:
        return False

    def is_there(self, dotted: str) -> bool:
        return True

    def is_in_project(self, dotted: str) -> bool:
        return False

    def is_compiled(self, dotted: str) -> bool:
        return False

    def may_bind(self, dotted: str, name: str) -> bool:
        return True


def reads(read: Callable[[Program, ModuleInfo], object]) -> Reads:
    noted = Noted()
    program = Program(Files(), lambda path: True, notes=True)
    with noting(noted):
        module = program.module("m")
        assert module is not None
        read(program, module)
    return reads_of(module, noted, outline_of(module.ir, TEXT))


def net(program: Program) -> ClassInfo:
    found = program.member("m", "Net")
    assert isinstance(found, ClassRef)
    assert isinstance(found.cls, ClassInfo)
    return found.cls


def forward(program: Program) -> ir.Function:
    method = net(program).own("forward")
    assert method is not None
    return method.node


def calls(node: ir.Function | ir.Module) -> int:
    return len(node.body)


@pytest.mark.parametrize(
    ("read", "units"),
    [
        pytest.param(lambda p, m: None, set(), id="loaded"),
        pytest.param(lambda p, m: p.member("m", "first"), {".first"}, id="a name"),
        pytest.param(lambda p, m: p.member("m", "missing"), {".missing"}, id="a name that is not there"),
        pytest.param(lambda p, m: net(p), {".Net"}, id="a class"),
        pytest.param(lambda p, m: forward(p).body, {".Net", "Net:0.forward:0"}, id="the body of a method"),
        pytest.param(lambda p, m: fact(forward(p), calls), {".Net", "Net:0.forward:0"}, id="a fact of it"),
        pytest.param(lambda p, m: list(m.bindings.items()), {STATEMENTS}, id="all names"),
        pytest.param(lambda p, m: m.ir.body, {STATEMENTS}, id="all statements"),
        pytest.param(lambda p, m: list(plain_statements(m.ir)), {PLAIN}, id="plain statements"),
    ],
)
def test_what_is_read(read: Callable[[Program, ModuleInfo], object], units: set[str]) -> None:
    assert set(reads(read)) == units | {STARS}


def test_a_fact_of_a_module_may_be_about_all_of_it() -> None:
    assert set(reads(lambda program, module: fact(module.ir, calls))) == {WHOLE}


def test_what_is_read_aside_counts_by_what_is_said_of_it() -> None:
    def read(program: Program, module: ModuleInfo) -> None:
        with aside(module.ir, "size", lambda: str(len(module.ir.body))):
            list(module.ir.body)

    assert set(reads(read)) == {STARS, "?size"}


def test_what_is_unnoted_is_not_noted_and_what_comes_after_is() -> None:
    def read(program: Program, module: ModuleInfo) -> None:
        with unnoted():
            list(module.ir.body)
        list(plain_statements(module.ir))

    assert set(reads(read)) == {STARS, PLAIN}


def test_nothing_is_noted_without_a_reader_that_asks() -> None:
    noted = Noted()
    module = ModuleInfo(lowered(TEXT), linted=True)
    assert len(module.ir.body) == 3
    assert not noted.read
    assert set(reads_of(module, noted, outline_of(module.ir, TEXT))) == {WHOLE}


def moved(text: str) -> dict[int, int] | None:
    """Where the lines of `forward` stand; None where it is not the same."""
    taken = reads(lambda program, module: forward(program).body)
    found = moves(taken, outline_of(lowered(text), text))
    return None if found is None else {line: found.line(line) for line in (8, 9, 10)}


def test_lines_move_with_what_was_read() -> None:
    assert moved(TEXT) == {8: 8, 9: 9, 10: 10}
    assert moved(f"# above\n{TEXT}") == {8: 9, 9: 10, 10: 11}
    assert moved(TEXT.replace("    return x\n\n\n", "    y = x\n    return y\n\n\n")) == {8: 9, 9: 10, 10: 11}
    assert moved(TEXT.replace("return -x", "return 1")) == {8: 8, 9: 9, 10: 10}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT.replace("        return x", "        return 1"), id="its body"),
        pytest.param(TEXT.replace("class Net:", "class Net(dict):"), id="its class"),
        pytest.param(f"{TEXT}\n\nclass Net:\n    pass\n", id="a second of its name"),
        pytest.param(f"from os import *\n{TEXT}", id="all names of another module"),
        pytest.param(TEXT.replace("class Net", "class Other"), id="renamed"),
    ],
)
def test_what_was_read_says_something_else(text: str) -> None:
    assert moved(text) is None


def test_what_was_read_stands_in_another_order() -> None:
    taken = reads(lambda program, module: (program.member("m", "first"), net(program)))
    head, _, cls = TEXT.partition("class Net")
    above, _, function = head.partition("def first")
    text = f"{above}class Net{cls}\n\ndef first{function}"
    assert moves(taken, outline_of(lowered(text), text)) is None


def test_a_line_that_was_not_read_has_no_place() -> None:
    found = moves(reads(lambda program, module: net(program)), outline_of(lowered(TEXT), TEXT))
    assert found is not None
    with pytest.raises(LookupError):
        found.line(10)
