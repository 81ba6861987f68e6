"""What counts as the same text in a function of its own, and what does not."""

from __future__ import annotations

import ast
import textwrap

import pytest

from compilelint.dynamic.moved import checked, guarded, moved
from compilelint.dynamic.sides import Seen, sides

OLD = """
    class Model:
        def block(self, n):
            return n + 1

        def f(self, x, y=None):
            z = x + 1
            made = []
            for n in x.tolist():
                if n > 3 and y is not None:
                    n = self.block(n) * self.config.scale
                made.append(n)
            made = torch.tensor(made)
            return made
"""
CALL = """
    class Model:
        def block(self, n):
            return n + 1

        def f(self, x, y=None):
            z = x + 1
            check(self)
            return rest(x, y, self.config.scale)

"""
REST = """
    @operator
    def rest(x, y, scale):
        made = []
        for n in x.tolist():
            if n > 3 and y is not None:
                n = Model.block(None, n) * scale
            made.append(n)
        made = torch.tensor(made)
        check(made)
        return made
"""


def missing(call: str = CALL, rest: str = REST, old: str = OLD) -> list[str]:
    """What must have run and did not, where nothing has."""
    texts = [textwrap.dedent(old), textwrap.dedent(call) + textwrap.dedent(rest)]
    return [one.words for one in sides(texts[0], texts[1], Seen(), Seen())]


def test_only_what_is_new_must_have_run() -> None:
    assert sorted(missing()) == [
        "`check(made)` ran",
        "`check(self)` ran",
        "`return rest(x, y, self.config.scale)` ran",
    ]


@pytest.mark.parametrize(
    ("call", "rest"),
    [
        pytest.param(CALL, REST.replace("n > 3", "n >= 3"), id="another bound"),
        pytest.param(CALL, REST.replace("            made.append(n)\n", ""), id="a statement that is left out"),
        pytest.param(
            CALL,
            REST.replace("        made = torch.tensor(made)\n", "").replace(
                "        for n in", "        made = torch.tensor(made)\n        for n in"
            ),
            id="another order",
        ),
        pytest.param(
            CALL.replace("x, y, self", "x, self"),
            REST.replace("x, y, scale", "x, scale"),
            id="a name that is not given",
        ),
        pytest.param(CALL.replace("x, y, self", "y, x, self"), REST, id="names given in another order"),
        pytest.param(CALL.replace("x, y, self", "x, None, self"), REST, id="a value for a name"),
        pytest.param(CALL.replace("config.scale", "config.size"), REST, id="another attribute"),
        pytest.param(CALL, REST.replace("Model.block", "Other.block"), id="a method of another class"),
        pytest.param(CALL, REST.replace("None, n", "n, n"), id="a method with another object"),
        pytest.param(CALL.replace("check(self)", "x = check(self)"), REST, id="a name that is bound again before"),
        pytest.param(CALL.replace("return rest", "more = rest"), REST, id="not what is returned"),
        pytest.param(CALL.replace("check(self)", "rest(x, y, 1)"), REST, id="called elsewhere too"),
        pytest.param(CALL, REST.replace("x, y, scale)", "x, y, scale, *more)"), id="more parameters"),
    ],
)
def test_what_is_not_the_same_must_have_run(call: str, rest: str) -> None:
    assert any(words.startswith("`n >") for words in missing(call, rest))


def test_a_function_that_was_there_before_is_not_made_for_it() -> None:
    there = OLD + "\n    def rest(x, y, scale):\n        return x\n"
    assert len(missing(CALL, REST, there)) > len(missing())


def test_a_parameter_that_is_written_stands_for_nothing_else() -> None:
    rest = REST.replace("made.append(n)", "made.append(n)\n            scale = 2")
    old = OLD.replace("made.append(n)", "made.append(n)\n                scale = 2")
    assert not any(moved(ast.parse(textwrap.dedent(old)), ast.parse(textwrap.dedent(CALL) + textwrap.dedent(rest))))


@pytest.mark.parametrize(
    ("now", "same"),
    [
        pytest.param("if not is_compiling() and a:\n        print(1)", True, id="a question in front"),
        pytest.param("if not is_compiling() and a and b:\n        print(1)", False, id="another test"),
        pytest.param("if not is_compiling() or a:\n        print(1)", False, id="either"),
        pytest.param("if is_compiling() and a:\n        print(1)", False, id="for compiled code alone"),
        pytest.param("if not self.fast and a:\n        print(1)", False, id="another question"),
        pytest.param("if not is_compiling() and a:\n        print(2)", False, id="another body"),
        pytest.param("if not is_compiling() and a:\n        print(1)\n    else:\n        b()", False, id="another arm"),
    ],
)
def test_a_test_behind_the_question_whether_code_is_compiled_is_the_same_in_eager_code(now: str, same: bool) -> None:
    old = ast.parse("def f(self, a, b):\n    if a:\n        print(1)\n")
    assert bool(guarded(old, ast.parse(f"def f(self, a, b):\n    {now}\n"))) is same


def test_what_a_guard_leaves_out_of_compiled_code_must_have_run() -> None:
    """`raise` behind a guard is never raised by compiled code: a test that no run saw true is not proven."""
    old = "def f(self, a):\n    if a:\n        raise ValueError\n    return a\n"
    new = old.replace("if a", "if not is_compiling() and a")
    left = [one.words for one in sides(old, new, Seen(), Seen()) if not one.happened]
    assert "`a` was true" in left
    assert "`a` was false" not in left


CHECK = "if x.any() != n:\n        raise ValueError('no')"
ASKED = f"""
def f(self, x, n):
    if is_compiling():
        check(x, n)
    el{CHECK}
    return x


@operator
def check(x, n):
    {CHECK}


check.register_effect(1)
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        pytest.param("", "", True, id="the check itself"),
        pytest.param("check(x, n)\n", "check(n, x)\n", False, id="arguments in another order"),
        pytest.param("check.register_effect(1)", "", False, id="an operator that a graph may leave out"),
        pytest.param("@operator", "@other\ndef g(): pass\n\n\n@operator", True, id="more functions"),
        pytest.param(
            "def check(x, n):\n    if x.any()", "def check(x, n):\n    if x.all()", False, id="another question"
        ),
        pytest.param("elif x.any() !=", "elif x.any() >", False, id="eager code asks otherwise"),
        pytest.param("if is_compiling()", "if not is_compiling()", False, id="eager code calls the operator"),
    ],
)
def test_a_check_that_an_operator_asks_for_compiled_code_is_the_same(old: str, new: str, same: bool) -> None:
    before = ast.parse(f"def f(self, x, n):\n    {CHECK}\n    return x\n")
    found = checked(before, ast.parse(ASKED.replace(old, new) if old else ASKED))
    assert (bool(found[0]), bool(found[1])) == (same, same)
