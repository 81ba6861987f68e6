"""Commit messages: where a fix was made in the file as it was, what is said of it, and what is not."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.fixes.engine.registry import names, registered, rewrites
from compilelint.model import Confidence, Effect, Finding, Fix, Location, Safety, Span
from compilelint.session.fixing.explain import Made, joined, line_again, lines_before, messages

RULE = rulebook().rule("CL202")
assert RULE is not None
FINDING = Finding(
    RULE,
    "`.info()` writes to the log",
    (Effect.GRAPH_BREAK,),
    Confidence.CERTAIN,
    Location("/project/models/net.py", Span(13, 9, 13, 30)),
    break_ids=("GB0291",),
    line_text='        logger.info("forward")',
)


def _made(safety: Safety = Safety.SAFE, rewrite: str = "silenced", proof: str = "", title: str = "log later") -> Made:
    return Made(FINDING, Fix(safety, title, (), rewrite=rewrite), 13, proof)


def _said(*made: Made, targets: tuple[str, ...] = ()) -> list[str]:
    return messages(made, "2.13", lambda path: path.removeprefix("/project/"), targets)


@pytest.mark.parametrize(
    ("now", "line", "wanted"),
    [
        ("a\nb\nc\n", 2, 2),
        ("import\na\nb\nc\n", 3, 2),
        ("a\nif:\n    b\nc\n", 3, 2),
        ("a\nif:\n    b\nc\n", 4, 3),
        ("a\nc\n", 2, 3),
    ],
    ids=["nothing moved", "moved down", "the one it replaced", "behind it", "moved up"],
)
def test_a_line_is_found_in_the_text_before(now: str, line: int, wanted: int) -> None:
    assert lines_before("a\nb\nc\n", now)(line) == wanted


def test_of_lines_that_read_alike_the_nearest_is_meant() -> None:
    text = '        logger.info("forward")\n' * 2 + "\n" * 8 + '    logger.info("forward")\n'
    assert line_again(text, FINDING) == 11
    assert line_again("\n", FINDING) == 0


def test_safe_and_other_fixes_of_an_idiom_share_a_message() -> None:
    (said,) = _said(_made(), _made(Safety.UNSAFE))
    assert "nothing was run. What the rewrite assumes" in " ".join(said.split())
    assert "For 1 of 2 it is safe, since" in " ".join(said.split())


def test_what_a_pack_rewrites_claims_no_law_of_ours() -> None:
    (said,) = _said(_made(rewrite=""))
    assert said.endswith("Checked: nothing was run. The rule's own pack calls 1 of 1 fixes safe.\n")
    assert "Assumes" not in said


def test_a_proof_names_its_targets() -> None:
    (said,) = _said(_made(proof="1 break gone"), targets=("net:Net", "net:Other"))
    wanted = "Checked: kept by `compilelint fix` with torch 2.13 on net:Net, net:Other: 1 break gone."
    assert wanted in " ".join(said.split())


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("log later", "Log later in models/net.py"),
        ("x" * 60, "X" + "x" * 59 + " in net.py"),
        ("word " * 20, "Word" + " word" * 12 + " ..."),
    ],
    ids=["the path", "the file", "neither fits"],
)
def test_a_subject_has_at_most_72_characters(title: str, subject: str) -> None:
    (said,) = _said(_made(title=title))
    assert said.splitlines()[0] == subject
    assert len(subject) <= 72


def test_neither_a_name_of_a_file_nor_a_title_gives_orders() -> None:
    made = _made(title="say\x1b[2J\n::error::")
    (said,) = messages([made], "2.13", lambda path: "a\x1b[2J\n::error::b.py")
    assert "\x1b" not in said
    assert "\n::error" not in said


def test_nothing_is_nothing() -> None:
    assert joined(_said()) == ""


def test_every_rewrite_declares_what_a_message_needs() -> None:
    functions = {
        one for proven in (False, True) for name in names(proven=proven) for one in rewrites(name, proven=proven)
    }
    assert [one.__name__ for one in functions if registered(one.__name__) is None] == []
