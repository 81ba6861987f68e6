"""What the user asked for: options, checked and frozen, before anything is read.

`UsageError` is the one way in which a wrong request ends: exit code 2 and one line that says what, where, and the mend.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compilelint.model import Confidence, Effect, Rule, Severity
from compilelint.report.formats import FORMATS
from compilelint.rulebook import FAILED_CHECK, UNPARSABLE_FILE, nearest

# Whoever selects one rule still wants to hear that a file or a rule could not be had; only --ignore silences these.
ALWAYS_ON = frozenset({UNPARSABLE_FILE.code, FAILED_CHECK.code})


class UsageError(Exception):
    """A request that cannot be carried out: `what` is wrong, `where` it was said, and the `mend`."""

    def __init__(self, what: str, where: str, mend: str) -> None:
        super().__init__(f"{what} ({where}); {mend}")
        self.what = what
        self.where = where
        self.mend = mend


@dataclass(frozen=True, slots=True)
class Options:
    """One run. `select`, `extend_select` and `ignore` hold codes, families, names or effects.

    `jobs` is the number of processes wanted; one does the work today. `cache_dir` and `no_cache` say where results
    of earlier runs may lie.
    """

    paths: tuple[str, ...]
    roots: tuple[str, ...] = ("auto",)
    torch_version: str | None = None
    python: str | None = None
    follow_imports: str = "all"
    min_confidence: Confidence = Confidence.LIKELY
    fail_on: Severity = Severity.WARNING
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    jobs: int = 1
    no_cache: bool = False
    cache_dir: str | None = None


def chosen_rules(rules: Sequence[Rule], options: Options) -> tuple[Rule, ...]:
    """The rules that take part. Raises UsageError for a word that names none."""
    on = {rule.code for rule in rules}
    if options.select:
        on = {*ALWAYS_ON, *(rule.code for rule in named(rules, options.select, "--select"))}
    on |= {rule.code for rule in named(rules, options.extend_select, "--extend-select")}
    on -= {rule.code for rule in named(rules, options.ignore, "--ignore")}
    return tuple(rule for rule in rules if rule.code in on)


def named(rules: Sequence[Rule], words: Iterable[str], where: str) -> list[Rule]:
    """The rules that codes (`CL101`), families (`CL1`, `CL1xx`), names, effects or `ALL` mean."""
    found: list[Rule] = []
    for word in words:
        meant = [rule for rule in rules if _means(word, rule)]
        if not meant and not _is_group(word, rules):
            alike = nearest(word, rules)
            mend = f"did you mean {alike}?" if alike else "`compilelint rule --list` names all rules"
            raise UsageError(f"unknown rule {word!r}", where, mend)
        found += meant
    return found


def _means(word: str, rule: Rule) -> bool:
    if word.upper() in ("ALL", "CL", rule.code) or word.lower() == rule.name:
        return True
    return _family(word) == rule.family or word.lower() in {effect.value for effect in rule.effects}


def _is_group(word: str, rules: Sequence[Rule]) -> bool:
    """A family or effect that exists, though no rule may belong to it yet."""
    families = {f"CL{digit}" for digit in range(1, 10)}
    return _family(word) in families or word.lower() in {effect.value for effect in Effect}


def _family(word: str) -> str:
    """`CL1` for `CL1`, `cl1xx` and `CL1XX`."""
    upper = word.upper()
    return upper.removesuffix("XX") if len(upper) == 5 else upper


@dataclass(frozen=True, slots=True)
class Output:
    """A report that is wanted: its format, and the file it goes to (None for the terminal)."""

    format: str
    path: str | None


def parse_outputs(words: Sequence[str]) -> tuple[Output, ...]:
    """What `--output FORMAT[:PATH]` asks for; the full console report where nothing does. Raises UsageError."""
    outputs = tuple(_output(word) for word in words) or (Output("full", None),)
    if sum(output.path is None for output in outputs) > 1:
        told = " ".join(f"--output {word}" for word in words)
        raise UsageError("two reports for the terminal", told, "give all but one a file: --output json:report.json")
    seen: set[str] = set()
    for output in outputs:
        real = os.path.realpath(output.path) if output.path is not None else ""
        if real and real in seen:
            raise UsageError("two reports for one file", str(output.path), "give each a file of its own")
        seen.add(real)
    return outputs


def _output(word: str) -> Output:
    where = f"--output {word}"
    name, colon, path = word.partition(":")
    if name not in FORMATS:
        alike = difflib.get_close_matches(name.lower(), FORMATS, n=1)
        mend = f"did you mean {alike[0]}?" if alike else "use one of: " + ", ".join(FORMATS)
        raise UsageError(f"unknown format {name!r}", where, mend)
    if not colon:
        return Output(name, None)
    if not path:
        raise UsageError("no file behind the colon", where, f"write --output {name}:FILE, or --output {name}")
    if os.path.isdir(path):
        raise UsageError("the report's file is a folder", where, "name a file in it")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError("no such folder for the report", where, f"make {folder} first")
    return Output(name, path)
