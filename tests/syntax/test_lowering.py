"""Every place in the IR is the place of a LibCST node of the same kind, on real files and on odd ones."""

from __future__ import annotations

import dataclasses
import re
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from compilelint.model import Span
from compilelint.project.loader import load_source
from compilelint.syntax import ir
from compilelint.syntax.expressions import MAX_DEPTH
from compilelint.syntax.places import line_of, pack, unpack
from compilelint.syntax.source import Source, read_source, source_from_bytes
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable

STDLIB = Path(sysconfig.get_path("stdlib"))
SITE = Path(cst.__file__).parent.parent
SMALLEST, LARGEST = 500, 12_000


def evenly(files: list[Path], count: int) -> list[Path]:
    """`count` of the files, spread over their sorted list."""
    fitting = sorted(path for path in files if SMALLEST < path.stat().st_size < LARGEST)
    return fitting[:: max(1, len(fitting) // count)][:count]


def of_the_stdlib(path: Path) -> bool:
    """Whether a file is part of Python itself; its tests hold files that are no Python on purpose."""
    parts = path.relative_to(STDLIB).parts
    return not {"site-packages", "dist-packages", "test", "tests", "idle_test", "lib2to3", "__pycache__"} & set(parts)


REAL_FILES = [
    *evenly([path for path in STDLIB.rglob("*.py") if of_the_stdlib(path)], 100),
    *evenly([path for path in SITE.rglob("*.py") if not {"test", "tests"} & set(path.parts[len(SITE.parts) :])], 100),
]

# The LibCST nodes that an IR node may stand on. A chain `a and b and c` is one node here and nested ones there; the
# outermost has the same place. `-1` is folded to a constant.
KINDS: dict[type[Any], set[str]] = {
    ir.Name: {"Name"},
    ir.Const: {"Integer", "Float", "Imaginary", "SimpleString", "ConcatenatedString", "Name", "Ellipsis"}
    | {"UnaryOperation"},
    ir.Attr: {"Attribute"},
    ir.Call: {"Call"},
    ir.Binary: {"BinaryOperation"},
    ir.Unary: {"UnaryOperation"},
    ir.BoolOp: {"BooleanOperation"},
    ir.Compare: {"Comparison"},
    ir.Index: {"Subscript"},
    ir.Slice: {"Slice"},
    ir.Display: {"Tuple", "List", "Set"},
    ir.DictDisplay: {"Dict"},
    ir.IfExp: {"IfExp"},
    ir.Lambda: {"Lambda"},
    ir.Comp: {"ListComp", "SetComp", "DictComp", "GeneratorExp"},
    ir.Star: {"StarredElement", "Arg", "StarredDictElement"},
    ir.FString: {"FormattedString", "ConcatenatedString", "FormattedStringExpression"},
    ir.Field: {"FormattedStringExpression"},
    ir.Walrus: {"NamedExpr"},
    ir.Yield: {"Yield", "Await"},
    ir.Assign: {"Assign"},
    ir.AugAssign: {"AugAssign"},
    ir.AnnAssign: {"AnnAssign"},
    ir.ExprStmt: {"Expr"},
    ir.Return: {"Return"},
    ir.If: {"If"},
    ir.For: {"For"},
    ir.While: {"While"},
    ir.Try: {"Try", "TryStar"},
    ir.Handler: {"ExceptHandler", "ExceptStarHandler"},
    ir.With: {"With"},
    ir.Raise: {"Raise"},
    ir.Assert: {"Assert"},
    ir.Delete: {"Del"},
    ir.Scope: {"Global", "Nonlocal"},
    ir.Import: {"Import"},
    ir.ImportFrom: {"ImportFrom"},
    ir.Jump: {"Pass", "Break", "Continue"},
    ir.Match: {"Match"},
    ir.Case: {"MatchAs", "MatchValue", "MatchClass", "MatchOr", "MatchSingleton", "MatchMapping", "MatchTuple"}
    | {"MatchList", "MatchSequence"},
    ir.Function: {"FunctionDef"},
    ir.Class: {"ClassDef", "Assign"},  # a record that `namedtuple` makes
}
QUOTED = {"SimpleString", "ConcatenatedString"}


def nodes(part: Any) -> Iterator[Any]:
    """Every IR node with a place, below a node or tuple of nodes.

    Left out, because CPython gives them no place of their own: the body of a lambda as a statement (its expression
    stands for it), and before 3.12 whatever lies inside an f-string.
    """
    stack = [part]
    while stack:
        n = stack.pop()
        if isinstance(n, tuple):
            stack.extend(n)
        elif isinstance(n, ir.Lambda):
            yield n
            (only,) = n.function.body
            assert isinstance(only, ir.Return)
            stack.extend((n.function.params, only.value))
        elif dataclasses.is_dataclass(n):
            if hasattr(n, "pos"):
                yield n
            if not (isinstance(n, ir.FString) and sys.version_info < (3, 12)):
                stack.extend(getattr(n, field.name) for field in dataclasses.fields(n))


def places(text: str) -> dict[Span, set[str]]:
    """The kinds of LibCST nodes at each place, as LibCST's own provider gives it.

    Legal differences, evened out here: LibCST leaves a tuple's and a generator's parentheses out of its place; a tuple
    in an index (`x[1, 2]`) is no node there, and a comma at its end belongs to it; the parentheses of a call around a
    lone generator belong to the call; blanks behind the colon of a slice belong to the slice.
    """
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    ranges = wrapper.resolve(PositionProvider)
    found: dict[Span, set[str]] = defaultdict(set)
    lines = text.split("\n")
    for node, place in ranges.items():
        found[span_of(place, place)].add(type(node).__name__)
        if isinstance(node, (cst.Tuple, cst.GeneratorExp)) and node.lpar:
            found[span_of(ranges[node.lpar[-1]], ranges[node.rpar[0]])].add(type(node).__name__)
        elif isinstance(node, cst.Call) and len(node.args) == 1:
            inside = node.args[0].value
            if isinstance(inside, cst.GeneratorExp) and not inside.lpar:
                line, column = before(lines, ranges[inside].start.line, ranges[inside].start.column)
                found[Span(line, column, place.end.line, place.end.column + 1)].add("GeneratorExp")
        elif isinstance(node, cst.Slice):
            line, column = behind(lines, place.end.line, place.end.column)
            found[Span(place.start.line, place.start.column + 1, line, column + 1)].add("Slice")
        elif isinstance(node, cst.Subscript):
            last = node.slice[-1]
            comma = ranges.get(last.comma, ranges[last]) if isinstance(last.comma, cst.Comma) else ranges[last]
            found[span_of(ranges[node.slice[0]], ranges[last.slice])].add("Tuple")
            found[span_of(ranges[node.slice[0]], comma)].add("Tuple")
    return found


def span_of(first: CodeRange, last: CodeRange) -> Span:
    return Span(first.start.line, first.start.column + 1, last.end.line, last.end.column + 1)


def before(lines: list[str], line: int, column: int) -> tuple[int, int]:
    """The place of the `(` that opens before a 0-based place."""
    while "(" not in lines[line - 1][:column]:
        line -= 1
        column = len(lines[line - 1])
    return line, lines[line - 1].rindex("(", 0, column) + 1


def behind(lines: list[str], line: int, column: int) -> tuple[int, int]:
    """The 0-based place behind the last character that is not blank before a 0-based place."""
    while not (kept := lines[line - 1][:column].rstrip()):
        line -= 1
        column = len(lines[line - 1])
    return line, len(kept)


def lowered(source: Source) -> ir.Module:
    module = load_source(source, "m", False)
    assert not isinstance(module, Unreadable), module
    return module


def misplaced(source: Source) -> tuple[int, list[str]]:
    """How many IR nodes a file has, and those whose place is not that of a LibCST node of their kind."""
    module = lowered(source)
    there = places(source.text)
    count, wrong = 0, []
    every = list(nodes(module.body))
    # Fields of a record that `namedtuple` makes stand where they are listed, all in one place.
    fields = [n for n in every if isinstance(n, ir.AnnAssign) and n.target.pos == n.pos]
    listed = {id(part) for field in fields for part in (field, field.target, field.annotation)}
    for node in every:
        count += 1
        if id(node) in listed:
            continue
        kinds = there.get(module.span(node.pos), set())
        if not kinds & KINDS[type(node)] and not kinds & QUOTED:  # an annotation in quotes stands where its text does
            wrong.append(f"{type(node).__name__} at {module.span(node.pos)}: {sorted(kinds)}")
    return count, wrong


def source_of(data: str | bytes) -> Source:
    found = source_from_bytes("/x.py", data.encode() if isinstance(data, str) else data)
    assert isinstance(found, Source), found
    return found


# ------------------------------------------------------------------------- places


def test_there_are_200_real_files() -> None:
    assert len(REAL_FILES) == 200


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 4))])
def test_every_place_of_real_files_is_that_of_a_libcst_node(part: int) -> None:
    total = 0
    for path in REAL_FILES[part::8]:
        source = read_source(str(path))
        assert isinstance(source, Source), path
        count, wrong = misplaced(source)
        assert not wrong, (path, wrong[:5])
        total += count
    assert total > 3_000


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = 1\nif x:\n    y\nelif z:\n    w\nelse:\n    v\n", id="if"),
        pytest.param("é = '漢字'; ß = é + ü.item()  # ñ\n𐐷 = é[ß]\n", id="wide characters"),
        pytest.param("f(é, ('漢', ü), *ñ, **{'ö': 1})\n", id="wide characters in a call"),
        pytest.param("x = '''漢\n字''' + é\n", id="wide characters over lines"),
        pytest.param("if a:\n\tif b:\n\t\tc(\td,\te)\n", id="tabs"),
        pytest.param("x = (  # c\n    1,\n\n    2\n)\ny = ((a), ((b, c)))\n", id="parentheses"),
        pytest.param("f(a for a in b)\nf((a for a in b))\nf(\n    a\n    for a in b\n)\n", id="generators"),
        pytest.param("x[1, 2]; x[a:b, ..., None]; x[::2]; x[(1, 2)]; x[a,]; x[:]\n", id="subscripts"),
        pytest.param("@a\n@b(1)\nclass A(B, c=D):\n  '''d'''\n  x: int = 1; y = 2\n", id="decorated class"),
        pytest.param("@a.b\n@c(d)\nasync def f(): return await g\n", id="decorated function"),
        pytest.param("def f(a, /, b=1, *c, d: int = 2, **e) -> int: return (yield)\n", id="parameters"),
        pytest.param("try:\n  a\nexcept (B, C) as d:\n  e\nelse:\n  f\nfinally:\n  g\n", id="try"),
        pytest.param("match a:\n  case [1, *_] if b: pass\n  case C(d=1) | None: pass\n  case x: pass\n", id="match"),
        pytest.param(
            "with a as b, (c): pass\nasync def f():\n  async with a: pass\n  async for c in d: pass\n", id="with"
        ),
        pytest.param("x = [a for b in c if d for e in f], {**g, 1: 2}, {h}, lambda *a, b=1: (a, b)\n", id="displays"),
        pytest.param("del a, b[0]; assert a, 'b'; raise A from b; import d.e as f, g\n", id="small statements"),
        pytest.param("def f():\n  global c\n  def g():\n    nonlocal d\n  d = 1\n", id="scopes"),
        pytest.param("while a:\n  break\nelse:\n  continue_ = a if b else not c\nfor i, j in k: ...\n", id="loops"),
        pytest.param("x = a + \\\n    b\ny = a and b or not c\nz = 1 < a <= 2 is not None\n", id="operators"),
        pytest.param("x = -1, - 1, -a, +1, ~1, -1.5, --1\n", id="signs"),
        pytest.param("if (n := f(x)) > 1: g(y := 2)\n", id="walrus"),
        pytest.param("x = 'a' 'b'\ny = ('a'\n     'b')\nz = b'a', ..., None, 1j, 0xFF\n", id="literals"),
        pytest.param("def f():\n  x = yield\n  y = yield x\n  yield from y\n", id="yields"),
        pytest.param("x += 1; y: int; z: 'A[B]' = None\na = b = c\n(d), [e, *g] = h\n", id="assignments"),
    ],
)
def test_every_place_of_odd_texts_is_that_of_a_libcst_node(text: str) -> None:
    count, wrong = misplaced(source_of(text))
    assert count
    assert not wrong


def test_the_fields_of_an_f_string_stand_where_they_are() -> None:
    """Before 3.12 CPython has no places inside f-strings: the whole string stands for each field."""
    source = source_of("x = f'{é.a!r:>{w}} {b + c}'\n")
    module = lowered(source)
    (statement,) = module.body
    assert isinstance(statement, ir.Assign)
    assert isinstance(statement.value, ir.FString)
    fields = [module.span(field.pos) for field in statement.value.fields]
    if sys.version_info >= (3, 12):
        assert fields[0] in {Span(1, 7, 1, 19), Span(1, 20, 1, 27)}
        assert not misplaced(source)[1]
    else:
        assert set(fields) == {Span(1, 5, 1, 28)}


@pytest.mark.parametrize(
    ("data", "line"),
    [
        pytest.param(b"\xef\xbb\xbfa = b.item()\n", 1, id="byte order mark"),
        pytest.param(b"x = 1\r\na = b.item()\r\n", 2, id="dos lines"),
        pytest.param(b"x = 1\ra = b.item()\r", 2, id="lone carriage returns"),
        pytest.param(b"'''\r\n\r\n'''\r\na = b.item()", 4, id="dos lines in a string"),
        pytest.param(b"# coding: latin-1\n# \xe9\na = b.item()\n", 3, id="latin-1"),
        pytest.param(
            "s = '\u2028 \x85 \x0b'\na = b.item()\n".encode(), 2, id="what only str.splitlines takes for lines"
        ),
        pytest.param(b"\x0c\na = b.item()\n", 2, id="form feed alone on a line"),
    ],
)
def test_lines_are_those_of_pythons_tokenizer(data: bytes, line: int) -> None:
    module = lowered(source_of(data))
    last = module.body[-1]
    assert isinstance(last, ir.Assign)
    assert module.span(last.value.pos) == Span(line, 5, line, 13)


def test_a_form_feed_is_a_column_like_any_other() -> None:
    source = source_of("\fx = 1\n\f\nif x:\n    y = 2\n\fz = 3\n")
    for statement in nodes(lowered(source).body):
        if isinstance(statement, ir.Assign):
            span = lowered(source).span(statement.pos)
            assert re.fullmatch(r"[xyz] = \d", source.line(span.line)[span.column - 1 : span.end_column - 1])


def test_columns_are_code_points() -> None:
    source = source_of("𐐷 = '漢字', é.item()\n")
    module = lowered(source)
    (statement,) = module.body
    assert isinstance(statement, ir.Assign)
    assert isinstance(statement.value, ir.Display)
    span = module.span(statement.value.items[1].pos)
    assert source.text[span.column - 1 : span.end_column - 1] == "é.item()"


@pytest.mark.parametrize(
    "text",
    [
        "def total(x): pass",
        "@decorated\ndef total(x): pass",
        "async def total(x): pass",
        "class Net(A): pass",
        "class Ü: pass",
    ],
)
def test_the_head_of_a_definition_is_its_keyword_and_name(text: str) -> None:
    source = source_of(text)
    module = lowered(source)
    (node,) = module.body
    assert isinstance(node, (ir.Function, ir.Class))
    span = module.span(node.head)
    shown = source.line(span.line)[span.column - 1 : span.end_column - 1]
    assert re.fullmatch(r"(async def|def|class) (total|Net|Ü)", shown)


@pytest.mark.parametrize(
    "place",
    [
        pytest.param((1, 0, 1, 1), id="short"),
        pytest.param((7, 3, 5_000, 12), id="a class of many lines"),
        pytest.param((1_048_575, 16_383, 1_048_575, 16_383), id="the last that is short"),
        pytest.param((1_048_576, 16_384, 2_000_000, 70_000), id="wide in every part"),
        pytest.param((1, 70_000, 1, 70_001), id="a line of minified code"),
    ],
)
def test_a_place_survives_packing(place: tuple[int, int, int, int]) -> None:
    assert unpack(pack(*place)) == place
    assert line_of(pack(*place)) == place[0]


def test_columns_far_to_the_right_are_right() -> None:
    source = source_of("x = '" + "a" * 70_000 + "'; y.item()\n")
    module = lowered(source)
    span = module.span(module.body[-1].pos)
    assert source.text[span.column - 1 : span.end_column - 1] == "y.item()"


# ------------------------------------------------------------------------- meaning


def shown(text: str) -> list[Any]:
    """The statements of a text; typed loosely, since each test knows which statement it wrote."""
    return list(lowered(source_of(text)).body)


def test_docstrings_and_comments_are_gone() -> None:
    (node,) = shown("'''module'''\n# comment\ndef f():\n    '''function'''\n    return 1\n")
    assert isinstance(node, ir.Function)
    assert [type(s) for s in node.body] == [ir.Return]


def test_elif_chains_are_flat_however_long() -> None:
    (node,) = shown("if a: b\n" + "elif c: d\n" * 900 + "else: e\n")
    assert isinstance(node, ir.If)
    assert len(node.arms) == 901
    assert len(node.other) == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + " + ".join(["a"] * 1_000), id="terms"),
        pytest.param("x = a" + ".b()" * 600, id="chained calls"),
        pytest.param("x = " + "not " * 500 + "a", id="unary operators"),
        pytest.param("x = " + "lambda: " * 190 + "a", id="lambdas"),
    ],
)
def test_what_is_nested_too_deeply_is_opaque(text: str) -> None:
    module = run_with_deep_stack(lambda: lowered(source_of(text + "\n")))
    found = list(nodes(module.body))
    assert "lambda" in text or any(isinstance(node, ir.Opaque) for node in found)
    assert len(found) < 4 * MAX_DEPTH


def test_names_that_a_function_binds() -> None:
    (node,) = shown(
        "def f(a, *b, c=1, **d):\n"
        "    global g\n"
        "    g = e = 1\n"
        "    for h in a: pass\n"
        "    with a as (i, j): pass\n"
        "    import k.l, m as n\n"
        "    from o import p\n"
        "    try: pass\n"
        "    except E as q: pass\n"
        "    if (r := 1): pass\n"
        "    def s(): t = 1\n"
        "    class U: v = 1\n"
        "    match a:\n"
        "        case [w, *x]: pass\n"
        "        case {'k': y, **z}: pass\n"
    )
    assert isinstance(node, ir.Function)
    assert set(node.local_names) == set("abcdehijknpqrswxyz") | {"U"}


def test_attributes_that_a_method_stores_on_self() -> None:
    (cls,) = shown(
        "class A:\n"
        "    def f(self, other):\n"
        "        self.a = self.b = 1\n"
        "        self.c += 1\n"
        "        self.d: int = 1\n"
        "        self.e[0] = 1\n"
        "        other.f = 1\n"
        "        if self.training and self.training: del self.g\n"
        "        for self.h in (): pass\n"
    )
    assert isinstance(cls, ir.Class)
    (method,) = cls.body
    assert isinstance(method, ir.Function)
    assert set(method.stores) == set("abcdgh")
    assert method.mode_reads == 2


def test_qualified_names() -> None:
    found = [
        n
        for n in nodes(
            lowered(
                source_of("class A:\n  class B:\n    def f(self):\n      def g(): lambda: 1\n      class C: pass\n")
            ).body
        )
        if isinstance(n, (ir.Function, ir.Class))
    ]
    assert {n.qualname for n in found} == {"A", "A.B", "A.B.f", "A.B.f.<locals>.g", "A.B.f.<locals>.C"}


def test_kinds_of_parameters() -> None:
    (node,) = shown("def f(a, /, b, *c, d, **e): pass\n")
    assert isinstance(node, ir.Function)
    assert [p.kind for p in node.params] == ["positional", "either", "star", "keyword", "double-star"]


def test_defaults_belong_to_the_last_parameters() -> None:
    (node,) = shown("def f(a, /, b=1, c=2, *, d, e=3): pass\n")
    assert isinstance(node, ir.Function)
    assert [p.default.value if isinstance(p.default, ir.Const) else None for p in node.params] == [None, 1, 2, None, 3]


def test_a_generator_is_one_by_its_own_yields() -> None:
    outer, inner, coroutine = shown(
        "def f():\n  def g(): yield 1\n  return g\n\ndef h(): return (yield from f())\n\nasync def i(): await h()\n"
    )
    assert (outer.is_generator, inner.is_generator, coroutine.is_generator) == (False, True, False)
    assert coroutine.is_async


def test_negative_numbers_are_constants() -> None:
    (statement,) = shown("x = [-1, -1.5, -a, not b, -True]\n")
    assert [type(item).__name__ for item in statement.value.items] == ["Const", "Const", "Unary", "Unary", "Unary"]
    assert statement.value.items[0].value == -1


@pytest.mark.parametrize("keyword", ["except", "except*"] if sys.version_info >= (3, 11) else ["except"])
def test_exception_groups_are_lowered_as_exceptions(keyword: str) -> None:
    (node,) = shown(f"try:\n  a\n{keyword} B as c:\n  d\n")
    assert isinstance(node, ir.Try)
    assert node.handlers[0].name == "c"


def test_every_statement_of_the_grammar_is_lowered() -> None:
    text = (
        "a = 1\nb += 1\nc: int\nd\nif a: pass\nfor e in a: break\nwhile a: continue\ntry: a\nfinally: b\n"
        "with a: b\nraise\nassert a\ndel a\nglobal g\nimport h\nfrom i import *\nmatch a:\n  case _: b\n"
        "def f(): return\nclass C: pass\n"
    )
    names = [type(s).__name__ for s in shown(text)]
    assert (
        names
        == (
            "Assign AugAssign AnnAssign ExprStmt If For While Try With Raise Assert Delete Scope Import ImportFrom "
            "Match Function Class"
        ).split()
    )


# -------------------------------------------------------------------------- memory
