"""Positions of LibCST nodes without LibCST's metadata, and the nodes that findings stand on."""

from __future__ import annotations

import ast
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from compilelint.model import Span
from compilelint.syntax.cst import Located, estimated_seconds, locate
from compilelint.syntax.positions import Place, positions
from compilelint.syntax.source import Source, read_source, source_from_bytes
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable

_STDLIB = Path(sysconfig.get_path("stdlib"))
_SITE = Path(cst.__file__).parent
MOST_BYTES = 60_000


def middling(folder: Path, pattern: str, count: int) -> list[Path]:
    """The largest files below `MOST_BYTES` that fit the pattern."""
    sized = sorted((path.stat().st_size, path) for path in folder.glob(pattern))
    return [path for size, path in sized if size < MOST_BYTES][-count:]


REAL_FILES = middling(_STDLIB, "*.py", 50) + middling(_SITE, "*.py", 8) + middling(_SITE, "*/*.py", 12)


def differences(module: cst.Module) -> list[tuple[str, Place | None, CodeRange]]:
    """Every node whose place is not the one LibCST's own provider gives."""

    def compare() -> list[tuple[str, Place | None, CodeRange]]:
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        theirs = wrapper.resolve(PositionProvider)
        ours = positions(wrapper.module)
        assert len(ours) == len(theirs)
        return [
            (type(node).__name__, ours.get(node), place)
            for node, place in theirs.items()
            if ours.get(node) != (place.start.line, place.start.column, place.end.line, place.end.column)
        ]

    return run_with_deep_stack(compare)


def source_of(text: str) -> Source:
    found = source_from_bytes("/x.py", text.encode())
    assert isinstance(found, Source)
    return found


PARTS = [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 4))]


def test_there_are_enough_real_files() -> None:
    assert len(REAL_FILES) >= 60


@pytest.mark.parametrize("part", PARTS)
def test_every_node_of_real_files_stands_where_libcst_says(part: int) -> None:
    nodes = 0
    for path in REAL_FILES[part::8]:
        source = read_source(str(path))
        assert isinstance(source, Source)
        module = cst.parse_module(source.text)
        assert not differences(module), path
        nodes += len(source.text)
    assert nodes > 25_000


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("\n\n", id="blank lines"),
        pytest.param("# only a comment", id="comment without an end"),
        pytest.param("x = 1\r\rif x:\r    y\r", id="lone carriage returns"),
        pytest.param("x = 1\r\nif x:\r\n    y  # c\r\n", id="dos"),
        pytest.param("\fx = 1\n\f\ndef f():\n\f    pass\n    y\f= 1\n", id="form feeds"),
        pytest.param("if a:\n\tif b:\n\t\tc(\td,\te)\n", id="tabs"),
        pytest.param("é = '漢字\U0001d4b3'; ß = é + ü  # ñ\n", id="wide characters"),
        pytest.param("x = (  # c\n    1,\n\n    2\n)\n", id="parentheses over lines"),
        pytest.param("@a\n@b(1)\nclass A(B, c=D):\n  '''d'''\n  x: int = 1; y = 2\n", id="decorated class"),
        pytest.param("def f(a, /, b=1, *c, d: int = 2, **e) -> int: return (yield)\n", id="parameters"),
        pytest.param("try:\n  a\nexcept* (B, C) as d:\n  e\nelse:\n  f\nfinally:\n  g\n", id="try"),
        pytest.param("match a:\n  case {'x': [1, *_], **r} if b: pass\n  case C(d=1) | None: pass\n", id="match"),
        pytest.param("x = f'{a!r:>{w}} {b=}' f'{c}' 'd'\n", id="formatted strings"),
        pytest.param(
            "with (a as b, c): pass\nasync def f():\n  async with a: await b\n  async for c in d: pass\n", id="async"
        ),
        pytest.param(
            "x = [a for b in c if d for e in f], {**g, 1: 2}, {*h}, lambda *a, b=1: a[1:2, ..., ::3]\n", id="displays"
        ),
        pytest.param(
            "del a, b[0]; assert a, 'b'; raise A from b; global c; import d.e as f, g\n", id="small statements"
        ),
        pytest.param("while a:\n  break\nelse:\n  continue_ = a if b else not c\nfor i in j: ...\n", id="loops"),
        pytest.param("x = a + \\\n    b\n", id="continuation"),
    ],
)
def test_every_node_of_odd_texts_stands_where_libcst_says(text: str) -> None:
    assert not differences(cst.parse_module(text))


def spans_of(source: Source) -> dict[Span, ast.AST]:
    """The span of every node of the syntax tree, outermost node first."""
    tree = source.tree()
    assert isinstance(tree, ast.Module)
    found: dict[Span, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt)):
            start = source.column(node.lineno, node.col_offset)
            end = source.column(node.end_lineno or 0, node.end_col_offset or 0)
            found.setdefault(Span(node.lineno, start, node.end_lineno or 0, end), node)
    return found


KINDS: dict[type[ast.AST], type[cst.CSTNode]] = {
    ast.Call: cst.Call,
    ast.Attribute: cst.Attribute,
    ast.Subscript: cst.Subscript,
    ast.Name: cst.Name,
    ast.BinOp: cst.BinaryOperation,
    ast.BoolOp: cst.BooleanOperation,
    ast.Compare: cst.Comparison,
    ast.IfExp: cst.IfExp,
    ast.Lambda: cst.Lambda,
    ast.ListComp: cst.ListComp,
    ast.Return: cst.Return,
    ast.Assign: cst.Assign,
    ast.Assert: cst.Assert,
    ast.If: cst.If,
    ast.For: cst.For,
    ast.FunctionDef: cst.FunctionDef,
    ast.ClassDef: cst.ClassDef,
}


def in_f_strings(source: Source) -> set[Span]:
    """Spans inside f-strings, which CPython before 3.12 places wrongly."""
    if sys.version_info >= (3, 12):
        return set()
    tree = source.tree()
    assert isinstance(tree, ast.Module)
    inner = [child for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for child in ast.walk(node)]
    ids = {(getattr(node, "lineno", 0), getattr(node, "col_offset", -1)) for node in inner}
    return {span for span in spans_of(source) if (span.line, span.column - 1) in ids}


@pytest.mark.parametrize("part", PARTS)
def test_spans_of_real_files_find_their_nodes(part: int) -> None:
    wanted = missed = 0
    for path in REAL_FILES[part::8]:
        source = read_source(str(path))
        assert isinstance(source, Source)
        spans = spans_of(source)
        for span in in_f_strings(source):
            spans.pop(span, None)
        found = locate(source, spans)
        assert isinstance(found, Located)
        wanted += len(spans)
        missed += len(spans.keys() - found.exact.keys())
        for span, node in found.exact.items():
            kind = KINDS.get(type(spans[span]))
            if kind is not None and not isinstance(node, kind):
                # `x.y` alone in a line is an expression and a statement; the expression is chosen.
                assert isinstance(spans[span], ast.stmt), (path, span, node)
        assert all(found.node(span) is not None for span in spans)
    assert wanted > 3_000
    assert missed / wanted < 0.01, "only the tuples of `x[1, 2]` have no node of their own"


@pytest.mark.parametrize(
    ("text", "span", "code"),
    [
        pytest.param("if x.sum() > 0:\n    pass\n", (1, 4, 1, 15), "x.sum() > 0", id="condition"),
        pytest.param("f(x)\n", (1, 1, 1, 5), "f(x)", id="the call, not its statement"),
        pytest.param("def f():\n    return x\n", (2, 5, 2, 13), "return x", id="the statement, not its line"),
        pytest.param("x = (1, 2)\n", (1, 5, 1, 11), "(1, 2)", id="tuple with parentheses"),
        pytest.param("x = (  # c\n  1, 2\n  # d\n)\n", (1, 5, 4, 2), "(  # c\n  1, 2\n  # d\n)", id="tuple over lines"),
        pytest.param("f(a for a in b)\n", (1, 2, 1, 16), "a for a in b", id="generator argument"),
        pytest.param("x = ((a))\n", (1, 7, 1, 8), "((a))", id="parenthesised name"),
        pytest.param("é = ü.item()\n", (1, 5, 1, 13), "ü.item()", id="wide characters"),
        pytest.param("a + b + c\n", (1, 1, 1, 6), "a + b", id="left part of a chain"),
        pytest.param("a < b < c\n", (1, 1, 1, 10), "a < b < c", id="comparison chain"),
        pytest.param("@d(1)\ndef f(): pass\n", (1, 2, 1, 6), "d(1)", id="decorator"),
        pytest.param("f(*a, b=c)\n", (1, 7, 1, 10), "b=c", id="keyword argument"),
    ],
)
def test_the_node_at_a_span(text: str, span: tuple[int, int, int, int], code: str) -> None:
    found = locate(source_of(text), [Span(*span)])
    assert isinstance(found, Located)
    node = found.exact[Span(*span)]
    shown = found.module.code_for_node(node).strip().strip(",")
    assert shown == code, shown


def test_the_node_around_where_there_is_none() -> None:
    tuple_span, outside = Span(1, 3, 1, 7), Span(9, 1, 9, 2)
    found = locate(source_of("x[1, 2]\n"), [tuple_span, outside])
    assert isinstance(found, Located)
    assert isinstance(found.node(tuple_span), cst.Subscript)
    assert found.node(outside) is None
    assert not found.exact


def test_bytes_survive_the_way_through_libcst() -> None:
    data = b"\xef\xbb\xbf# c\r\nx = '\xc3\xa9'\r\n\x0c\r\nif x:\r\n\ty\r\n"
    source = source_from_bytes("/x.py", data)
    assert isinstance(source, Source)
    found = locate(source, [Span(2, 1, 2, 2)])
    assert isinstance(found, Located)
    assert source.encode(found.module.code) == data


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        pytest.param("x = " + " + ".join(["1"] * 2_500) + "\n", True, id="2,500 terms", marks=pytest.mark.slow),
        pytest.param("x = " + " + ".join(["1"] * 8_000) + "\n", False, id="8,000 terms kill LibCST"),
        pytest.param("x = a" + ".b()" * 800 + "\n", True, id="800 chained calls", marks=pytest.mark.slow),
        pytest.param("x = a" + ".b()" * 3_000 + "\n", False, id="3,000 chained calls take 10 s"),
        pytest.param("if a:\n    pass\n" + "elif b:\n    pass\n" * 1_400, True, id="1,400 elif"),
        pytest.param("match a:\n  case " + "{1: C(" * 3 + "b" + ")}" * 3 + ": pass\n", True, id="6 patterns deep"),
        pytest.param("match a:\n  case " + "{1: C(" * 9 + "b" + ")}" * 9 + ": pass\n", False, id="18 take minutes"),
        pytest.param("x = '" + "a" * 3_000_001 + "'\n", False, id="too long"),
    ],
)
def test_what_would_kill_or_hang_libcst_is_refused(text: str, accepted: bool) -> None:
    started = time.process_time()
    found = locate(source_of(text), [Span(1, 1, 1, 2)])
    if sys.version_info[:2] == (3, 12) and isinstance(found, Unreadable):
        assert found.kind in ("too-deep", "too-large")  # 3.12 counts C calls and stops LibCST at some 700 levels
    else:
        assert isinstance(found, Located if accepted else Unreadable)
    assert time.process_time() - started < 12
    if isinstance(found, Located):
        assert run_with_deep_stack(lambda: found.module.code) == text


def test_many_middling_chains_add_up() -> None:
    tree = source_of(("x = a" + ".b()" * 500 + "\n") * 40).tree()
    assert isinstance(tree, ast.Module)
    assert estimated_seconds(tree) > 10


def test_what_python_refuses_is_refused_with_its_place() -> None:
    found = locate(source_of("x = 1\ny = = 2\n"), [])
    assert isinstance(found, Unreadable)
    assert (found.kind, found.line) == ("syntax", 2)


def test_libcst_is_imported_only_when_asked() -> None:
    code = (
        "import sys, compilelint.syntax.cst, compilelint.syntax.suppressions, compilelint.project.discovery\n"
        "import compilelint.project.modules, compilelint.project.environment, compilelint.syntax.source\n"
        "assert not {'libcst', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kinds_are_counted_once() -> None:
    source = source_of("a = b.c(d)[0] if e and f else g\n")
    found = locate(source, spans_of(source))
    assert isinstance(found, Located)
    kinds = Counter(type(node).__name__ for node in found.exact.values())
    assert kinds == {"Assign": 1, "Name": 6, "Attribute": 1, "Call": 1, "Subscript": 1, "Integer": 1, "IfExp": 1} | {
        "BooleanOperation": 1
    }
