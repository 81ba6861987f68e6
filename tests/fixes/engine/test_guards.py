"""Guards side by side become one, where fixes brought them."""

from __future__ import annotations

import pytest

from compilelint.fixes.engine.guards import with_joined_guards

BEFORE = """def f(x):
    print("a")
    log("b")
    return x
"""
GUARD = "    if not torch.compiler.is_compiling():\n"
TWO = BEFORE.replace('    print("a")\n', GUARD + '        print("a")\n').replace(
    '    log("b")\n', GUARD + '        log("b")\n'
)
ONE = BEFORE.replace('    print("a")\n    log("b")\n', GUARD + '        print("a")\n        log("b")\n')


def test_two_guards_become_one() -> None:
    assert with_joined_guards(BEFORE, TWO) == ONE


def test_a_third_joins_too() -> None:
    three = TWO.replace("    return x\n", GUARD + "        x = 1\n")
    assert with_joined_guards(BEFORE, three).count("is_compiling") == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TWO.replace('"a")\n', '"a")\n\n'), id="a blank line parts them"),
        pytest.param(TWO.replace('"a")\n', '"a")\n    # why\n'), id="a comment stands between"),
        pytest.param(
            TWO.replace('        log("b")\n', '        log("b")\n    else:\n        pass\n'), id="another arm"
        ),
        pytest.param(TWO.replace('        log("b")', '            log("b")'), id="another indentation"),
        pytest.param(TWO.replace("():\n        log", "() and x:\n        log"), id="another test"),
        pytest.param(TWO.replace("():\n        log", "(): log"), id="no line of its own"),
        pytest.param("(" + TWO, id="what does not parse"),
    ],
)
def test_they_stay_apart_where_they_are_no_one_block(text: str) -> None:
    assert with_joined_guards(BEFORE, text) == text


def test_what_a_person_wrote_stays() -> None:
    by_hand = TWO + TWO.replace("def f", "def g").replace('"a"', '"c"').replace('"b"', '"d"')
    fixed = by_hand.replace("    return x\n", GUARD + "        print(x)\n    return x\n", 1)
    assert with_joined_guards(TWO + TWO.replace("def f", "def g"), TWO + TWO) == TWO + TWO
    assert with_joined_guards(by_hand, fixed).count("is_compiling") == 4
