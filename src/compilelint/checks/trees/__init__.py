"""Rules of our own that are about syntax: LibCST visitors on the API that packs have too (`compilelint.lib`).

Their metadata stand with those of their family, in the folder above, and name the file of this folder that holds the
classes: it is imported, and LibCST with it, when a linted file has something for one of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from compilelint.lib.file_state import FileState
from compilelint.model import Rule
from compilelint.rulebook import LibRule
from compilelint.syntax.walk import last_name


def on_trees(
    home: str, *rules: Rule, words: Sequence[str], scout: Callable[[FileState], Iterable[int]] | None = None
) -> tuple[LibRule, ...]:
    """Rules whose classes stand in the file `home`.

    A file that holds one of `words` is asked for the places of interest (`scout`): the statements of its top level
    around them are parsed, and nothing where there are none.
    """
    return tuple(
        LibRule(one, "compilelint", partial(_made, home, one), tuple(words), scout=scout, beliefs=False)
        for one in rules
    )


def on_compile_calls(*rules: Rule) -> tuple[LibRule, ...]:
    """Rules about calls that compile, of several families."""
    words = ("torch.compile", "import compile", "_dynamo", ".compile(")
    return on_trees("compile_calls", *rules, words=words, scout=_compile_calls)


def _compile_calls(known: FileState) -> Iterable[int]:
    from compilelint.survey import compile_uses  # for files that name `torch.compile` alone

    yield from (call.pos for call in compile_uses.compile_calls(known.calls()))
    functions = [one.function.node for one in known.scopes if one.function is not None]
    above = (one for node in functions for one in node.decorators[:-1])
    yield from (one.pos for one in above if last_name(one) == "compile")


def _made(home: str, rule: Rule) -> object:
    """A visitor for one file."""
    module = importlib.import_module(f"{__name__}.{home}")
    return next(one for one in vars(module).values() if getattr(one, "rule", None) is rule)()
