"""The small mutations of a text: what each operator makes, and that no line moves."""

from __future__ import annotations

import pytest

from benchmarks.faults.mutations import guards, mutations

SEVERAL_LINES = b"def f(a):\n    g(\n        a,\n    )\n    return a == 1\n"


def mutants(text: str) -> set[tuple[str, str]]:
    """The kinds and texts of all mutants."""
    return {(one.kind, one.applied(text.encode()).decode()) for one in mutations(text.encode())}


@pytest.mark.parametrize(
    ("text", "kind", "mutant"),
    [
        ("a == b", "comparison", "a != b"),
        ("a < b <= c", "comparison", "a < b < c"),
        ("a is not b", "comparison", "a is b"),
        ("a and b", "and swapped", "a or b"),
        ("a or b", "operand dropped", "a or False"),
        ("not a", "negation dropped", "a"),
        ("b if a else c", "first arm alone", "(b)"),
        ("[a for a in b if a]", "condition dropped", "[a for a in b if True]"),
        ("f(True)", "constant", "f(False)"),
        ("a[1]", "constant", "a[2]"),
        ("Confidence.LIKELY", "confidence", "Confidence.CERTAIN"),
        ("min(a)", "extreme or quantifier", "max(a)"),
        ("f(a)", "statement removed", "pass"),
        ("{'a', 'b', 'c'}", "item removed", "{ 'b', 'c'}"),
        ("'a b c'.split()", "item removed", "'a c'.split()"),
        ("if a: b", "never taken", "if False: b"),
        ("def f() -> bool: return a", "returned value", "def f() -> bool: return not (a)"),
        ("def f() -> int | None: return a", "returned value", "def f() -> int | None: return None"),
        ("def f() -> list[int]: return a", "returned value", "def f() -> list[int]: return []"),
    ],
)
def test_what_an_operator_makes(text: str, kind: str, mutant: str) -> None:
    assert (kind, mutant) in mutants(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('def f():\n    """1 is not 2"""', id="a docstring"),
        pytest.param("def f(a: 'int | None'): ...", id="an annotation"),
        pytest.param("assert a == b", id="an assertion"),
        pytest.param("c = zip(a, b, strict=True)", id="an assertion about lengths"),
        pytest.param("raise ValueError(1)", id="an error's text"),
        pytest.param("__all__ = ['a', 'b', 'c']", id="what only `import *` reads"),
        pytest.param("@overload\ndef f(a=1): return a == 1", id="an overload"),
        pytest.param("class C(Protocol):\n    x = 1\n    def f(self, a=1): ...", id="a protocol"),
        pytest.param("if TYPE_CHECKING:\n    import a", id="what only a type checker reads"),
    ],
)
def test_what_changes_no_behaviour_is_left_alone(text: str) -> None:
    assert not mutants(text)


def test_a_mutant_has_as_many_lines_as_the_source() -> None:
    found = mutations(SEVERAL_LINES)
    assert {one.kind for one in found} >= {"statement removed", "comparison", "constant"}
    assert {one.applied(SEVERAL_LINES).count(b"\n") for one in found} == {SEVERAL_LINES.count(b"\n")}


@pytest.mark.parametrize(
    ("text", "kind", "mutants"),
    [
        ("def f():\n  if a or b: return", "operand dropped", {"if False or b: return", "if a or False: return"}),
        (
            "for a in b:\n  if a and b: continue",
            "operand dropped",
            {"if True and b: continue", "if a and True: continue"},
        ),
        ("min(a, b)", "bound dropped", {"(a)"}),
        ("del a", "del dropped", {"pass"}),
    ],
)
def test_what_takes_a_condition_out_of_a_guard(text: str, kind: str, mutants: set[str]) -> None:
    lines = {one.applied(text.encode()).decode().splitlines()[-1].strip() for one in guards(text.encode())}
    assert lines == mutants
    assert {one.kind for one in guards(text.encode())} == {kind}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("if a or b:\n  c = 1", id="the branch goes on"),
        pytest.param("def f():\n  if a: return", id="one condition, which decides it all"),
        pytest.param("min(a)", id="of one container"),
        pytest.param("min(*a, b)", id="the first argument is not one value"),
    ],
)
def test_what_guards_nothing(text: str) -> None:
    assert guards(text.encode()) == []
