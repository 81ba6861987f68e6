"""Which findings are reported: those that no baseline holds and, with `--diff-base`, those on changed lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from compilelint.config import Options, UsageError
from compilelint.model import Finding, Notice
from compilelint.model.slotted import dataclass
from compilelint.project.discovery import Discovery
from compilelint.session.pipeline.baseline import Baseline, Scope, about_unused, read_baseline, update_baseline
from compilelint.session.pipeline.changed import Changed, changed_since


@dataclass(frozen=True, slots=True)
class Gated:
    """What is left, how many the baseline holds, how many stand on unchanged lines, and notices about it."""

    findings: tuple[Finding, ...]
    baselined: int = 0
    unchanged: int = 0
    notices: tuple[Notice, ...] = ()


def gate(
    options: Options,
    findings: Sequence[Finding],
    unsure: Callable[[], Iterable[Finding]],
    files: Discovery,
    codes: Iterable[str],
) -> Gated:
    """Let findings (with their lines, in order) through. `unsure` gives those below `--min-confidence`, `codes` names
    the rules that took part. Raises UsageError.
    """
    _refuse_contradictions(options)
    changed = None
    if options.diff_base is not None:
        changed = changed_since(options.diff_base, files.roots, {one.location.path for one in findings})
    left, baselined = list(findings), 0
    notices: tuple[Notice, ...] = ()
    if options.baseline is not None:
        where = options.where("baseline", options.baseline)
        known = read_baseline(options.baseline, where, may_be_new=options.update_baseline)
        resolved = frozenset(os.path.realpath(path).replace(os.sep, "/") for path in files.files)
        scope = Scope(resolved, frozenset(codes), frozenset(known.entry(one) for one in unsure()))
        left, notices = _against(known, findings, scope, options, changed)
        baselined = len(findings) - len(left)
    on_changed = left if changed is None else [finding for finding in left if changed(finding)]
    return Gated(tuple(on_changed), baselined, len(left) - len(on_changed), notices)


def _refuse_contradictions(options: Options) -> None:
    if not options.update_baseline:
        return
    if options.baseline is None:
        raise UsageError("there is no baseline to update", "--update-baseline", "name its file: --baseline FILE")
    if options.diff_base is not None:
        hint = "write the baseline without --diff-base"
        raise UsageError("a baseline of the changed lines alone would forget the rest", "--update-baseline", hint)


def _against(
    known: Baseline, findings: Sequence[Finding], scope: Scope, options: Options, changed: Changed | None
) -> tuple[list[Finding], tuple[Notice, ...]]:
    """What the baseline does not hold, and notices about it."""
    if options.update_baseline:
        known = update_baseline(known, findings, scope)
        left, used = known.filter(findings)
        text = f"the baseline now holds {sum(known.allowed.values())} findings"
        return left, (Notice("baseline", text, os.path.abspath(known.file).replace(os.sep, "/")),)
    # Of two lines that are alike the changed one is the new one.
    left, used = known.filter(findings) if changed is None else known.filter(findings, changed)
    return left, tuple(about_unused(known, known.unused(used, scope)))
