"""The line hash of GitHub code scanning: its published values, and a second implementation of its description."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compilelint.report.layout.linehash import line_hashes

GREETINGS = [
    "e9496ae3ebfced30:1",
    "fb7c023a8b9ccb3f:1",
    "ce8ba1a563dcdaca:1",
    "e20e36e16fcb0cc8:1",
    "b3edc88f2938467e:1",
    "c8e28b0b4002a3a0:1",
    "c129715d7a2bc9a3:1",
]


def every_hash(text: str) -> list[str]:
    return list(line_hashes(text, range(1, text.count("\n") + text.count("\r") + 2)).values())


def test_the_published_values_come_out() -> None:
    """The values of codeql-action's own tests."""
    assert every_hash("") == ["c129715d7a2bc9a3:1"]
    assert every_hash(" a\nb\n  \t\tc\n d") == [
        "271789c17abda88f:1",
        "54703d4cd895b18:1",
        "180aee12dab6264:1",
        "a23a3dc5e078b07b:1",
    ]
    for text in (
        " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n",
        " hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r",
        " hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n",
        " hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n",
    ):
        assert every_hash(text) == GREETINGS
    assert every_hash("Lorem ipsum dolor sit amet.\n" * 10) == [
        *(f"a7f2ff13bc495cf2:{number}" for number in range(1, 7)),
        "a7f2ff1481e87703:1",
        "a9cf91f7bbf1862b:1",
        "55ec222b86bcae53:1",
        "cc97dc7b1d7d8f7b:1",
        "c129715d7a2bc9a3:1",
    ]


def rolling(text: str) -> dict[int, str]:
    """The same as a rolling hash over the stream of code units, as the description has it."""
    data = text.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]
    window, starts = [0] * 100, [0] * 100
    at = value = line = 0
    fresh, after_cr = True, False
    counts: dict[str, int] = {}
    found: dict[int, str] = {}

    def put(unit: int) -> None:
        nonlocal at, value
        if starts[at]:
            mark = f"{value:x}"
            counts[mark] = counts.get(mark, 0) + 1
            found[starts[at]] = f"{mark}:{counts[mark]}"
            starts[at] = 0

    def push(unit: int) -> None:
        nonlocal at, value
        value = (37 * value + unit - pow(37, 100) * window[at]) % 2**64
        window[at] = unit
        at = (at + 1) % 100

    for unit in [*units, 0xFFFF]:
        if unit in (0x20, 0x09) or (after_cr and unit == 0x0A):
            after_cr = False
            continue
        after_cr = unit == 0x0D
        unit = 0x0A if after_cr else unit
        put(unit)
        if fresh:
            line, fresh = line + 1, False
            starts[at] = line
        fresh = unit == 0x0A
        push(unit)
    for _ in range(100):
        put(0)
        push(0)
    return found


LINES = st.lists(st.text(st.sampled_from("ab \t\u00e9\U0001f600\ufeff\ud800x(["), max_size=130), max_size=8)


@given(LINES, st.lists(st.sampled_from(["\n", "\r\n", "\r", "\r \n"]), min_size=8, max_size=8))
def test_both_implementations_agree(lines: list[str], ends: list[str]) -> None:
    text = "".join(line + end for line, end in zip(lines, ends, strict=False))
    expected = rolling(text)
    assert line_hashes(text, set(expected)) == expected
    assert line_hashes(text, [max(expected)]) == {max(expected): expected[max(expected)]}


def test_a_line_that_is_not_there_has_no_hash() -> None:
    assert line_hashes("a\nb\n", [2, 4, 99]) == line_hashes("a\nb\n", [2])
    assert line_hashes("a", []) == {}
