"""Each rewrite says where it is legal and what it changes, and rule pages repeat that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import compilelint.fixes  # noqa: F401 - registers the rewrites
from compilelint.checks import rulebook
from compilelint.fixes.engine import registry
from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.declarations import declarations, rewrites_page
from compilelint.model import Finding, Fix
from compilelint.rulebook import pages

RULES = {rule.code: rule for rule in rulebook().rules}


def test_every_rewrite_is_named_by_the_page_of_a_rule_and_says_what_it_assumes_and_changes() -> None:
    makers = {
        maker
        for proven in (False, True)
        for name in registry.names(proven=proven)
        for maker in registry.rewrites(name, proven=proven)
    }
    named = {one.function for code in RULES for one in registry.of_rule(code)}
    assert named == makers
    found = [one for code in RULES for one in declarations(registry.of_rule(code))]
    assert all(one.title and one.assumes and one.changes and one.rules for one in found)


def test_every_rule_that_has_a_fix_has_a_rewrite_on_its_page() -> None:
    """CL812 changes its tree itself, as the rules of packs do; its page says what that changes."""
    assert [code for code, rule in RULES.items() if rule.fix and not registry.of_rule(code)] == ["CL812"]
    fix = pages()["CL812"].sections["Fix"]
    assert fix.startswith("Unsafe. ")
    assert "Changes: " in fix


def test_a_page_lists_what_needs_no_proof_first() -> None:
    page = rewrites_page(declarations(registry.of_rule("CL102")))
    assert page.startswith("\n## Rewrites\n- `if wrong: raise ...` or `if odd: print(...)` gets a condition in front")
    assert "\n    - Assumes: The call is a statement of its own with the condition alone, or with a message" in page
    assert "\n    - Changes: On a device it is raised later, and the program cannot catch it;" in page
    assert page.index("`x.item()` becomes") < page.index("Kept by `compilelint fix` only.")
    assert "Kept by `compilelint fix` only.\n    - Assumes: The facts say that these switches" in page


def test_a_rule_without_rewrites_has_no_section() -> None:
    assert rewrites_page(declarations(registry.of_rule("CL104x"))) == ""


def test_a_rewrite_that_does_not_say_what_it_changes_is_refused() -> None:
    def silent(finding: Finding, code: Code) -> Iterator[Fix]:
        """`a` becomes `b`. Legal where it pleases."""
        yield from ()

    with pytest.raises(ValueError, match="silent does not say"):
        declarations([registry.Registered(silent, False, ("CL101",))])
