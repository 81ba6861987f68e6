"""All texts that users can be shown, read as a list by people and, for what a program can judge, here."""

from __future__ import annotations

import re

from benchmarks.messages import messages

LISTED = list(messages())


def test_the_list_holds_what_users_are_shown() -> None:
    texts = {" ".join(text.split()) for _, _, text in LISTED}
    for wanted in (
        "no such file or folder",  # a usage error
        "Dynamo traces without data, so it cannot know which branch runs.",  # a why
        "use `torch.where(condition, a, b)`",  # a help
        "imports are looked up in {} ({})",  # a notice
        "Exit with 0 even if there are findings.",  # an option's help
        "Show the settings and where each comes from: those that hold for each of PATHS, "
        "which may have different ones.",  # a command's help
    ):
        assert wanted in texts


def test_no_text_is_careless() -> None:
    careless = re.compile(r"(?<=\w)  (?=\w)|\b(\w+) \1\b(?! \1)|\bTODO\b|\?\?|\bcannot not\b| ,", re.IGNORECASE)
    sentences = [one for one in LISTED if "\n    " not in one[2]]  # tables of names are no sentences
    found = [f"{name}:{line}: {text}" for name, line, text in sentences if careless.search(text)]
    assert found == []


def test_backticks_come_in_pairs() -> None:
    assert [text for _, _, text in LISTED if text.count("`") % 2] == []
