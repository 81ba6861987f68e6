"""The project speaks plain English and the field's terms: words of a private dialect do not come back.

They were once in thousands of names, comments and messages; a newcomer greps for the usual word and finds nothing.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from compilelint.checks import rulebook
from compilelint.cli import app

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
# What users read, code and examples left out.
_READ = ("README.md", "docs", "rules", "editors", "playground", "action.yml", ".pre-commit-hooks.yaml")
GLOSSARY = "docs/contributing/messages.md"
# Places where a term of the glossary is right, and why.
RIGHT = {
    ("action.yml", "1 findings"): "exit code 1, then what it means",
}
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


def glossary(page: str) -> dict[str, str]:
    """What is not written, with what is, from the page's table."""
    section = page.split("\n## Glossary\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return {term: write for write, terms in rows[1:] for term in re.findall(r"`([^`]+)`", terms)}


def pattern(term: str) -> re.Pattern[str]:
    """Where a term is: `N` stands for a word, `*` for any ending. `there is no N` and `stands for` are ordinary."""
    words = re.escape(term).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")
    words = re.sub(r"\bN\b", r"(?!longer|more|less|one|such|better|way|need|matter|single)\\w+", words)
    ordinary = r" for\b" if term in ("stand", "stands") else r"[\w-]"
    return re.compile(rf"(?<!there )(?<![\w-]){words}(?![\w-])(?!{ordinary})", re.IGNORECASE)


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`|\]\([^)]*\)", "x", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def literals(source: str) -> str:
    """The strings of a module that can be printed: all but its docstrings, and those of one word."""
    tree = ast.parse(source)
    bare = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    kept = [one for one in ast.walk(tree) if isinstance(one, ast.Constant) and id(one) not in bare]
    return "\n".join(one.value for one in kept if isinstance(one.value, str) and " " in one.value)


def described(schema: object) -> Iterator[str]:
    """Every `description` of a JSON Schema."""
    for key, value in (
        schema.items() if isinstance(schema, dict) else enumerate(schema if isinstance(schema, list) else ())
    ):
        if key == "description" and isinstance(value, str):
            yield value
        yield from described(value)


def shown_texts() -> Iterator[tuple[str, str]]:
    """What users read and are printed, by file."""
    for name in _READ:
        files = [ROOT / name] if (ROOT / name).is_file() else sorted((ROOT / name).rglob("*.md"))
        for file in files:
            path = file.relative_to(ROOT).as_posix()
            if path not in _QUOTING and "node_modules" not in file.parts:
                yield path, prose(file.read_text(encoding="utf-8"))
    source = ROOT / "src" / "compilelint"
    for file in sorted(source.rglob("*.py")):
        yield file.relative_to(source).as_posix(), literals(file.read_text(encoding="utf-8"))
    for file in sorted((source / "report" / "templates").glob("*.html")):
        yield (
            file.relative_to(source).as_posix(),
            re.sub(r"{[{%].*?[}%]}|<[^>]*>", "x", file.read_text(encoding="utf-8")),
        )
    for file in sorted((source / "report").glob("*-1.json")):
        yield file.relative_to(source).as_posix(), prose("\n".join(described(json.loads(file.read_text()))))
    for rule in rulebook().rules:
        yield rule.code, rule.summary
    for command in app.commands.values():
        yield f"help of {command.name}", prose(command.help or "")


def test_what_users_read_has_the_words_of_the_glossary() -> None:
    terms = glossary((ROOT / GLOSSARY).read_text(encoding="utf-8"))
    patterns = {term: pattern(term) for term in terms}
    assert len(terms) > 15
    wrong = [
        f"{path}: `{found[0]}`; write: {terms[term]}"
        for path, text in shown_texts()
        for term, regex in patterns.items()
        if (path, term) not in RIGHT
        for found in regex.finditer(text)
    ]
    assert not wrong, "\n".join(["", *wrong])


def test_exceptions_to_the_glossary_are_few() -> None:
    assert len(RIGHT) <= 20


def test_pages_shown_before_and_after_are_as_they_are_shown() -> None:
    section = (ROOT / GLOSSARY).read_text(encoding="utf-8").split("\n## Pages, ", 1)[1].split("\n## ", 1)[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:4] == "| CL"
    ]
    assert len(rows) >= 5
    for code, before, after in rows:
        page = " ".join(next((ROOT / "rules").glob(f"{code}-*.md")).read_text(encoding="utf-8").split())
        assert (before in page, after in page) == (False, True), code


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        pytest.param("is no N", "`x` is no tensor", True, id="a noun"),
        pytest.param("is no N", "there is no rule", False, id="nothing of that kind is there"),
        pytest.param("is no N", "it is no longer read", False, id="an adverb"),
        pytest.param("judg*", "it was judged", True, id="any ending"),
        pytest.param("judg*", "Judge for torch.export", True, id="at the beginning of a sentence"),
        pytest.param("stand", "a stand-alone script", False, id="a part of a word"),
        pytest.param("is said", "which\nis said", True, id="at the end of a line"),
        pytest.param("1 findings", "11 findings", False, id="another number"),
    ],
)
def test_terms_are_found_as_words(term: str, text: str, found: bool) -> None:
    assert bool(pattern(term).search(text)) is found


def test_docstrings_and_code_are_not_printed() -> None:
    assert literals('"""It is judged."""\nx = f("is judged here")\ny = "judged"\n') == "is judged here"
    assert prose("it `is judged`\n```\njudged\n```\n") == "it x\n\n"
