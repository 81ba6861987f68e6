"""Which rules take part, where, and how heavy their findings are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from compilelint.config.options import Options, Selection, UsageError
from compilelint.model import Confidence, Effect, Finding, Rule, Severity
from compilelint.project.globs import IgnoreList
from compilelint.rulebook import FAILED_CHECK, UNPARSABLE_FILE, nearest

# A user who selects one rule still wants to know that a file or a rule could not be had; only --ignore silences these.
ALWAYS_ON = frozenset({UNPARSABLE_FILE.code, FAILED_CHECK.code})


def chosen_rules(rules: Sequence[Rule], options: Options) -> tuple[Rule, ...]:
    """The rules that take part. Raises UsageError for a word that names none."""
    on = {rule.code for rule in rules}
    last = Selection(options.select, options.extend_select, options.ignore)
    for layer in (*options.selections, last):
        if layer.select:
            on = {*ALWAYS_ON, *(rule.code for rule in named(rules, layer.select, "--select"))}
        on |= {rule.code for rule in named(rules, layer.extend, "--extend-select")}
        on -= {rule.code for rule in named(rules, layer.ignore, "--ignore")}
    return tuple(rule for rule in rules if rule.code in on)


def severity_in(rules: Sequence[Rule], options: Options) -> Callable[[Finding], Severity | None]:
    """What the configuration says of a finding's severity; None where it says nothing.

    A code or name beats a family or an effect, and of those the one further down. What is merely possible stays a note.
    """
    wide: dict[str, Severity] = {}
    exact: dict[str, Severity] = {}
    for word, severity in options.severity:
        meant = named(rules, [word], "severity")
        only_one = len(meant) == 1 and word.lower() in (meant[0].code.lower(), meant[0].name)
        (exact if only_one else wide).update((rule.code, severity) for rule in meant)
    table = {**wide, **exact}

    def severity_of(finding: Finding) -> Severity | None:
        return None if finding.confidence == Confidence.POSSIBLE else table.get(finding.rule.code)

    return severity_of


def ignored_in(rules: Sequence[Rule], options: Options) -> Callable[[str, str], bool]:
    """Whether `per-file-ignores` takes a rule (by code) out of a file (absolute, `/`)."""
    base = (options.project or "").rstrip("/") + "/"
    entries = [
        (IgnoreList([pattern]), {rule.code for rule in named(rules, words, "per-file-ignores")})
        for pattern, words in options.per_file_ignores
    ]
    by_path: dict[str, frozenset[str]] = {}

    def ignored(path: str, code: str) -> bool:
        if not entries or not path.startswith(base):
            return False
        if path not in by_path:
            inside = path[len(base) :]
            codes: set[str] = set().union(*(found for patterns, found in entries if patterns.decides(inside)))
            by_path[path] = frozenset(codes)
        return code in by_path[path]

    return ignored


def named(rules: Sequence[Rule], words: Iterable[str], where: str) -> list[Rule]:
    """The rules that codes (`CL101`), families (`CL1`, `CL1xx`), names, effects or `ALL` mean."""
    found: list[Rule] = []
    for word in dict.fromkeys(words):
        meant = [rule for rule in rules if _means(word, rule)]
        if not meant and not _is_group(word, rules):
            alike = nearest(word, rules)
            hint = f"did you mean {alike}?" if alike else "`compilelint rule --list` names all rules"
            raise UsageError(f"unknown rule {word!r}", where, hint)
        found += meant
    return found


def _means(word: str, rule: Rule) -> bool:
    if word.upper() in ("ALL", rule.code) or word.lower() == rule.name or (word.upper() == "CL" and not rule.pack):
        return True
    return _family(word) == rule.family or word.lower() in {effect.value for effect in rule.effects}


def _is_group(word: str, rules: Sequence[Rule]) -> bool:
    """A family or effect that exists, though no rule may belong to it yet."""
    families = {*(f"CL{digit}" for digit in range(1, 10)), *(rule.family for rule in rules)}
    return _family(word) in families or word.lower() in {effect.value for effect in Effect}


def _family(word: str) -> str:
    """`CL1` for `CL1`, `cl1xx` and `CL1XX`."""
    upper = word.upper()
    return upper.removesuffix("XX") if len(upper) == 5 else upper
