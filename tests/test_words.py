"""The project speaks plain English and the field's terms: words of a private dialect do not come back.

They were once in thousands of names, comments and messages; a newcomer greps for the usual word and finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# What is not said, and what is said in its place.
INSTEAD = {
    "told": "reported, given, named, said",
    "untold": "unknown",
    "tell": "report, say, show",
    "tells": "reports, says, shows",
    "telling": "reporting, descriptive",
    "mend": "fix; of an error: hint",
    "mends": "fixes",
    "mended": "fixed",
    "mending": "fixing",
    "anew": "again",
    "somebody": "someone, or name the code that does it",
    "nobody": "no caller, no reader, nothing; or the passive",
    "whoever": "the caller, the reader, the process that",
    "excuse": "suppress; of a baseline: hold",
    "excuses": "suppressions",
    "excused": "suppressed",
    "deaf": "say what is ignored",
    "hear": "record, receive",
    "hears": "records, receives",
    "heard": "recorded, received",
}
# Sentences of a translated kind that do not come back; docs/contributing/messages.md has what to write.
SENTENCES = {
    "what follows in": "Graph break: Dynamo compiles the rest of `f` as a separate graph.",
    "compiled as another one": "Graph break: Dynamo compiles the rest of `f` as a separate graph.",
    "is another number in every": "changes on every call",
    "the device is waited for": "reading the value forces a device sync",
    "Python needs the number now": "reading the value forces a device sync",
    "is no tensor": "is not a tensor",
    "nothing in sight": "no linted file",
    "behind autograd's back": "without autograd seeing it",
    "one place in memory": "share memory",
    "hangs on": "depends on",
    "without a word": "silently",
    "has no picture": "cannot track",
    "do not lie side by side": "are not adjacent",
    "judged to its end": "judged completely",
    "looked at to the end": "read completely",
    "who said it": "where it comes from",
    "where this one is silent": "where this one sets none",
    "Given up": "runs uncompiled",
    "Drawn are": "Shown are",
    "Compiled again": "Recompiled",
    "exclude each other": "name one of them",
}
_SHOWN = (
    *(
        f"src/compilelint/{room}"
        for room in ("checks", "report", "cli", "config", "fixes", "dynamic", "bench", "session")
    ),
    "src/compilelint/keys.py",
    "rules",
    "docs",
    "README.md",
)
# They quote what not to write.
_QUOTING = ("docs/contributing/messages.md", "docs/contributing/walk.md")
_WORD = re.compile(rf"(?<![a-zA-Z])({'|'.join(INSTEAD)})(?![a-zA-Z])", re.IGNORECASE)

FOLDERS = ("src", "rules", "docs", "tests", "benchmarks", "examples", "fixtures")
_TEXTS = frozenset({".py", ".md", ".yml", ".toml", ".css", ".js", ".html"})


def texts() -> Iterator[Path]:
    """The files that people of the project wrote, but for this one, which lists the words."""
    files = [*ROOT.iterdir(), *(one for name in FOLDERS for one in sorted((ROOT / name).rglob("*")))]
    yield from (one for one in files if one.suffix in _TEXTS and one.name != Path(__file__).name)


def found_in(text: str) -> list[tuple[int, str]]:
    """Lines and words of the dialect, names included: `_told`, `as_told`, `Told`."""
    return [
        (number, found[1].lower()) for number, line in enumerate(text.splitlines(), 1) for found in _WORD.finditer(line)
    ]


def test_no_text_and_no_name_is_in_the_dialect() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: `{word}`; say {INSTEAD[word]}"
        for path in texts()
        for number, word in found_in(path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(["", *wrong])


def test_the_names_of_files_neither() -> None:
    assert [str(path.relative_to(ROOT)) for path in texts() if _WORD.search(path.stem)] == []


def sentences_in(text: str) -> list[str]:
    """The sentences of the list that a text holds, however its lines are broken."""
    plain = " ".join(re.sub(r'"\s*\n\s*f?"', "", text).split())
    return [one for one in SENTENCES if one in plain]


def test_no_message_and_no_page_holds_a_sentence_of_the_dialect() -> None:
    shown = [path for path in texts() if path.relative_to(ROOT).as_posix().startswith(_SHOWN)]
    wrong = [
        f"{path.relative_to(ROOT)}: `{one}`; say: {SENTENCES[one]}"
        for path in shown
        if path.relative_to(ROOT).as_posix() not in _QUOTING
        for one in sentences_in(path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(["", *wrong])


@pytest.mark.parametrize(
    "text",
    [
        "The graph ends here; what follows in `f` is compiled as another one.",
        'why = "The graph ends here; what "\n        f"follows in {here}"',
        "<h4>Given up</h4>\n<p>Drawn\nare the worst</p>",
        "Python needs the number now:\nthe device is waited for.",
    ],
)
def test_sentences_are_found_across_lines(text: str) -> None:
    assert sentences_in(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def _told(entry):", ["told"]),
        ("_MOST_TOLD = 600", ["told"]),
        ("class Mending:", ["mending"]),
        ("it is told anew", ["told", "anew"]),
        pytest.param("recommend, intellectual, retold, excuseless", [], id="a part of another word"),
        pytest.param("someone, no one, reported again", [], id="the plain words"),
    ],
)
def test_words_are_found_in_names_too(text: str, words: list[str]) -> None:
    assert [word for _, word in found_in(text)] == words


def test_what_people_wrote_is_read() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in texts()}
    assert {"README.md", "rules/CL101-branch-on-tensor.md", "src/compilelint/cli/check.py"} <= names
    assert "src/compilelint/report/templates/page.html" in names
    assert len(names) > 700
