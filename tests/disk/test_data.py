"""Documents of strangers: what is read, and the one message for each way to be none. Bombs: `tests/security`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from compilelint.disk.data import NotParsedError, json_of, toml_of

PARTS = ".".join("a" * 1 for _ in range(101))


def said(read: Callable[[Any], object], text: bytes | str) -> tuple[str, int]:
    with pytest.raises(NotParsedError) as caught:
        read(text)
    assert str(caught.value) == caught.value.message
    return caught.value.message, caught.value.line


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        pytest.param("a = 1\nb = x\n", "not valid TOML: invalid value", 2, id="no value"),
        pytest.param("a = 1\n\nb = [\n", "not valid TOML: invalid value", 4, id="at the end"),
        pytest.param("a = 1\na = 2", "not valid TOML: cannot overwrite a value", 2, id="twice"),
        pytest.param(b"a = 1\r\n\xff", "the file is not UTF-8", 2, id="no UTF-8"),
        pytest.param(f"x = 1\n{PARTS}.a = 1", "a key of more than 100 parts", 2, id="too many parts"),
        pytest.param("a = " + "9" * 5000, "a number of too many digits", 0, id="too many digits"),
        pytest.param("a = " + "[" * 9000, "nested too deeply", 0, id="too deep"),
    ],
)
def test_what_is_no_toml_is_one_message(text: bytes | str, message: str, line: int) -> None:
    assert said(toml_of, text) == (message, line)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        pytest.param("[1,\n2,]", "not valid JSON: ", 2, id="comma too many"),
        pytest.param("", "not valid JSON: expecting value", 1, id="nothing"),
        pytest.param(b"\n\xff", "the file is not UTF-8", 2, id="no UTF-8"),
        pytest.param("9" * 5000, "a number of too many digits", 0, id="too many digits"),
        pytest.param("[" * 200_000, "nested too deeply", 0, id="too deep"),
    ],
)
def test_what_is_no_json_is_one_message(text: bytes | str, message: str, line: int) -> None:
    what, where = said(json_of, text)
    assert (what.startswith(message), where) == (True, line), what


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RecursionError(), "nested too deeply"),
        (MemoryError(), "too large for the memory there is"),
        (ValueError("Exceeds the limit (4300 digits)"), "a number of too many digits"),
        (ValueError("year is out of range"), "a value that cannot be read"),
        (OverflowError("too large"), "a value that cannot be read"),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize(
    ("read", "parser"), [(toml_of, "tomllib" if sys.version_info >= (3, 11) else "tomli"), (json_of, "json")]
)
def test_what_a_parser_raises_beside_its_own_error_is_ours(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[Any], object], parser: str, error: Exception, message: str
) -> None:
    def fails(text: str) -> None:
        raise error

    monkeypatch.setattr(f"{parser}.loads", fails)
    assert said(read, "x") == (message, 0)


def test_a_hundred_parts_are_taken_and_dots_in_texts_are_none() -> None:
    assert toml_of(".".join(["a"] * 101) + " = 1")
    assert toml_of(f'a = "{PARTS}{PARTS}"') == {"a": PARTS * 2}
    assert toml_of(b"a = 1\r\nb = '''x\r\ny'''") == {"a": 1, "b": "x\ny"}
    assert json_of(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
