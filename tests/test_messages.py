"""All texts that users can be shown, read as a list by people and, for what a program can judge, here."""

from __future__ import annotations

import functools
import re

import pytest

from benchmarks.messages import messages


@functools.cache
def listed() -> list[tuple[str, int, str]]:
    return list(messages())


def test_the_list_holds_what_users_are_shown() -> None:
    texts = {" ".join(text.split()) for _, _, text in listed()}
    for wanted in (
        "no such file or folder",  # a usage error
        "Dynamo traces without data, so it cannot know which branch runs.",  # a why
        "compute both sides and choose with `torch.where`, or use `torch.cond` for costly sides",  # a help
        "looking up imports in {} ({})",  # a notice
        "Exit with 0 even if there are findings.",  # an option's help
        "Show the settings for each of PATHS, and where each one comes from.",  # a command's help
    ):
        assert wanted in texts


def test_no_text_is_careless() -> None:
    careless = re.compile(r"(?<=\w)  (?=\w)|\b(\w+) \1\b(?! \1)|\bTODO\b|\?\?|\bcannot not\b| ,", re.IGNORECASE)
    sentences = [one for one in listed() if "\n    " not in one[2]]  # tables of names are no sentences
    found = [f"{name}:{line}: {text}" for name, line, text in sentences if careless.search(text)]
    assert found == []


# Turns of phrase of a translation, and what the field says instead. `docs/contributing/messages.md` has examples.
TRANSLATED = {
    r"(?<!there )\b(?:is|are|holds?) no (?!longer\b|more\b)(?!such\b)": "is not a ..., has no ...",
    r"\bcompiled again\b": "recompiled",
    r"\bthe graph ends\b": "graph break",
    r"\bin every call\b": "on every call",
    r"\b(?:whose|which) behaviour\b": "torch to predict for",
    r"\bwas left alone\b": "was not written",
    r"\bneeds the truth of\b": "needs the truth value of",
    r"\bthat only the run knows\b": "known only at run time",
    r"\blooks at the data\b": "reads the data",
    r"\bcut in two\b": "split in two",
    r"\bthrown away\b": "discarded",
    r"\bin consequence of\b": "because of",
    r"\bmeans nothing to\b": "ignores",
    r"\b(?:has|have) no counterpart in a graph\b": "cannot be captured in a graph",
    r"\b(?:a|no|as) text\b": "a string",
    r"\bforeseen\b": "predicted",
    r"\bgiven up on\b": "stopped",
}


@pytest.mark.parametrize("pattern", TRANSLATED)
def test_no_text_reads_as_translated(pattern: str) -> None:
    found = [f"{name}:{line}: {text}" for name, line, text in listed() if re.search(pattern, text)]
    assert found == [], f"say: {TRANSLATED[pattern]}"


def test_backticks_come_in_pairs() -> None:
    assert [text for _, _, text in listed() if text.count("`") % 2] == []
