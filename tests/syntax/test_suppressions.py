"""Pragmas: which comments count, which lines they speak for, and which did nothing."""

from __future__ import annotations

import time

import pytest

from compilelint.syntax.source import Source
from compilelint.syntax.suppressions import Suppressions, suppressions


def read(text: str) -> Suppressions:
    return suppressions(Source("/x.py", text))


def silenced(text: str, code: str = "CL101") -> list[int]:
    """The lines on which a one-line finding is silenced."""
    found = read(text)
    return [line for line in range(1, text.count("\n") + 2) if found.match(line, line, code)]


@pytest.mark.parametrize(
    ("numbers", "count"),
    [pytest.param(30_000, 1, id="a table on one line"), pytest.param(200_000, 0, id="a line that would take minutes")],
)
def test_a_line_of_many_tokens_is_read_up_to_a_bound(numbers: int, count: int) -> None:
    """Python 3.12 copies the line for each of its tokens."""
    text = "a = [" + "1, " * numbers + "]\nb  # compilelint: ignore\n"
    assert len(read(text).pragmas) == count


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("a\nb  # compilelint: ignore[CL101] known\nc\n", [2], id="its own line"),
        pytest.param("a\nb  # compilelint: ignore\n", [2], id="bare"),
        pytest.param("a\nb  # compilelint:ignore[ CL102 , cl101 ]\n", [2], id="list, spaces, case"),
        pytest.param("b  # compilelint: ignore[CL102]\n", [], id="another code"),
        pytest.param("b  # noqa: E501,CL101\n", [1], id="noqa among others"),
        pytest.param("b  # NOQA:CL101 CL102 because\n", [1], id="noqa in capitals"),
        pytest.param("b  # NoQa: cl101\n", [1], id="noqa in any case"),
        pytest.param("b  # CompileL\u0130nt: ignore\n", [1], id="Turkish capital, an i in any case"),
        pytest.param("b  # noqa: CL101 d\u0131\u015f\n", [1], id="Turkish reason"),
        pytest.param("b  # noqa\n", [], id="bare noqa is other linters' word"),
        pytest.param("b  # noqa: E501\n", [], id="noqa of others"),
        pytest.param("b  # type: ignore  # compilelint: ignore[CL101]  # noqa: X1\n", [1], id="several in a comment"),
        pytest.param("b = '# compilelint: ignore'\n", [], id="in a string"),
        pytest.param("b = '''\n# compilelint: ignore\n'''\n", [], id="in a long string"),
        pytest.param("f(\n    a,\n    b,\n)  # compilelint: ignore\n", [1, 2, 3, 4], id="last line of a statement"),
        pytest.param("f(  # compilelint: ignore\n    a,\n    b,\n)\n", [1, 2, 3, 4], id="first line of a statement"),
        pytest.param("f(\n    a,  # compilelint: ignore\n    b,\n)\n", [2], id="middle line speaks for itself"),
        pytest.param("x = a + \\\n    b  # compilelint: ignore\n", [1, 2], id="continuation"),
        pytest.param("x = '''\na\n'''  # compilelint: ignore\n", [1, 2, 3], id="behind a long string"),
        pytest.param("if (a and\n        b):  # compilelint: ignore\n    c\n", [1, 2], id="header, not body"),
        pytest.param(
            "@d  # compilelint: ignore\n@e(\n    1)\ndef f(\n    a,\n):\n    b\n", [1, 2, 3, 4, 5, 6], id="decorator"
        ),
        pytest.param("@d\ndef f(a):  # compilelint: ignore\n    b\n", [1, 2], id="decorated header"),
        pytest.param("@d\n# why\nclass A:  # compilelint: ignore\n    b\n", [1, 2, 3], id="comment below a decorator"),
        pytest.param("a\n# compilelint: ignore\nb\n", [2], id="own line speaks for no other"),
        pytest.param("a\nb\n# compilelint: ignore-file[CL101] generated\n", [1, 2, 3, 4], id="file"),
        pytest.param("a @ b  # compilelint: ignore\nc\n", [1], id="matrix product is no decorator"),
        pytest.param("a  # compilelint: ignore\nb = (\n", [1], id="text that does not tokenize to its end"),
        pytest.param("a  # compilelint: ignore\n\0\nb  # compilelint: ignore\n", [1], id="text behind a NUL"),
    ],
)
def test_lines_a_pragma_speaks_for(text: str, lines: list[int]) -> None:
    assert silenced(text) == lines


def test_a_finding_of_several_lines_needs_one_of_them() -> None:
    found = read("a\nb\nc  # compilelint: ignore[CL101]\nd\n")
    assert found.match(1, 3, "CL101")
    assert found.match(3, 9, "CL101")
    assert not found.match(1, 2, "CL101")
    assert not found.match(4, 4, "CL101")


def test_the_nearer_and_the_plainer_pragma_is_used() -> None:
    found = read("# compilelint: ignore-file[CL101]\na  # compilelint: ignore  # noqa: CL101\n")
    pragma = found.match(2, 2, "CL101")
    assert pragma is not None
    assert (pragma.kind, pragma.codes) == ("noqa", ("CL101",))
    other = found.match(2, 2, "CL205")
    assert other is not None
    assert other.kind == "ignore"


def test_span_and_reason() -> None:
    text = "é = 1  # compilelint: ignore[CL101, CL102] measured, see #12  # noqa: CL103\n"
    ours, noqa = read(text).pragmas
    assert text[ours.span.column - 1 : ours.span.end_column - 1] == "# compilelint: ignore[CL101, CL102]"
    assert ours.reason == "measured, see #12"  # a `#` before anything but a number begins another comment
    assert text[noqa.span.column - 1 : noqa.span.end_column - 1] == "# noqa: CL103"


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# compilelint: ignore[CL101", "no closing bracket"),
        ("# compilelint: ignore[]", "empty"),
        ("# compilelint: ignore[E501]", "`E501` is not a rule code"),
        ("# compilelint: ignroe[CL101]", "`ignroe[CL101]` is not a pragma"),
        ("# compilelint:", "`nothing` is not a pragma"),
    ],
)
def test_malformed_pragmas_are_reported(comment: str, said: str) -> None:
    found = read(f"a\nb  {comment}\n")
    assert not found.pragmas
    (fault,) = found.malformed
    assert said in fault.message
    assert (fault.span.line, fault.span.column) == (2, 4)


def test_words_about_the_tool_are_no_pragma() -> None:
    assert read("# see compilelint for more\n# run compilelint check\n") == Suppressions()


def test_unused_pragmas() -> None:
    found = read(
        "a  # compilelint: ignore[CL101, CL102]\n"
        "b  # compilelint: ignore\n"
        "c  # noqa: CL101\n"
        "d  # compilelint: ignore[CL900]\n"
    )
    first, bare, noqa, inactive = found.pragmas
    active = {"CL101", "CL102"}
    unused = found.unused([(first, "CL101")], active)
    assert [(entry.pragma, entry.codes, entry.entirely) for entry in unused] == [
        (first, ("CL102",), False),
        (bare, (), True),
        (noqa, ("CL101",), True),
    ]
    assert inactive not in [entry.pragma for entry in unused]
    assert bare not in [entry.pragma for entry in found.unused([], active, all_active=False)]
    assert not found.unused([(first, "CL101"), (first, "CL102"), (bare, "CL205"), (noqa, "CL101")], active)


def test_many_pragmas_and_many_questions_cost_no_more_than_both() -> None:
    lines = "\n".join(f"x{n} = 1  # compilelint: ignore[CL101]" for n in range(5_000))
    blocks = "\n".join(f"y{n} = [  # noqa: CL102\n]" for n in range(2_000))
    found = read(f"{lines}\n{blocks}\n")
    begin = time.process_time()
    assert all(found.match(line, line, "CL101") for line in range(1, 5_001))
    assert not any(found.match(line, line, "CL102") for line in range(1, 5_001))
    assert all(found.match(line, line, "CL102") for line in range(5_001, 9_001))
    assert time.process_time() - begin < 1.0


@pytest.mark.parametrize(
    "comment", ["# noqa:" * 60_000, "#" + " " * 200_000 + "compilelint", "# noqa: CL1" + " ," * 60_000]
)
def test_no_comment_takes_long(comment: str) -> None:
    begin = time.process_time()
    read(f"x = 1  {comment}\n")
    assert time.process_time() - begin < 2.0
