"""The rules as SARIF knows them: every rule at a fixed index, with its page as help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sarif_om import MultiformatMessageString, ReportingConfiguration, ReportingDescriptor

from compilelint.model import Confidence, Effect, Rule, Severity, severity_of
from compilelint.rulebook import Page

# The sections of a page that a reader of an alert wants; the others feed its tests.
_SHOWN = ("What it finds", "Bad", "Good", "When to ignore it", "Why it matters", "Fix")
_SAID = ("What it finds", "Why it matters")
# Code scanning cuts descriptions here.
_MOST_CHARACTERS = 1024

_PROBLEM = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}


def rule_descriptors(rules: Sequence[Rule], pages: Mapping[str, Page]) -> list[ReportingDescriptor]:
    """A descriptor for each rule, in their order."""
    return [_descriptor(rule, pages.get(rule.code)) for rule in rules]


def _descriptor(rule: Rule, page: Page | None) -> ReportingDescriptor:
    worst = severity_of(rule.effect, Confidence.CERTAIN)
    said = _sections(page, _SAID)
    return ReportingDescriptor(
        id=rule.code,
        name="".join(word.capitalize() for word in rule.name.split("-")),
        short_description=MultiformatMessageString(text=sentence(rule.summary)),
        full_description=MultiformatMessageString(
            text=_cut(page.sections.get("What it finds") or sentence(rule.summary) if page else sentence(rule.summary))
        ),
        help_uri=rule.address or None,
        help=MultiformatMessageString(
            text=said or sentence(rule.summary),
            markdown=_sections(page, _SHOWN) or sentence(rule.summary),
        ),
        default_configuration=ReportingConfiguration(level=worst.label),
        properties={
            "precision": _precision(rule),
            "problem.severity": _PROBLEM[worst],
            **({} if rule.fix is None else {"fix": rule.fix.value}),
            "tags": ["torch.compile", *(effect.value for effect in rule.effects)],
        },
    )


def _precision(rule: Rule) -> str:
    """A word of GitHub's scale. What is said of the tool's own work is a fact; of the others, `benchmarks/accuracy.md`
    holds what share was right: nine in ten, less for the rule that catches what has no rule of its own.
    """
    if rule.effect is Effect.TOOL:
        return "very-high"
    return "medium" if rule.code.endswith("90") else "high"


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop; code at its start stays as it is."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _sections(page: Page | None, headings: Sequence[str]) -> str:
    if page is None:
        return ""
    found = [f"## {heading}\n{page.sections[heading]}" for heading in headings if heading in page.sections]
    return "\n\n".join(found) + "\n"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 4].rsplit(" ", 1)[0] + " ..."
