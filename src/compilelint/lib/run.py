"""Rules on one file: open it, let them look, gather what they report.

A rule that raises costs that rule on that file, and says so in a finding of its own. Imports LibCST: only called for
files that `scout` lets through.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper

from compilelint.lib.file_state import FileState
from compilelint.lib.opened import opened
from compilelint.lib.providers import CompileState, QualifiedNames
from compilelint.lib.rule import Rule
from compilelint.lib.walk import walk
from compilelint.model import Confidence, Finding, Location, Span
from compilelint.rulebook import FAILED_CHECK, LibRule
from compilelint.syntax.positions import Place
from compilelint.syntax.source import Source
from compilelint.syntax.unreadable import Unreadable

_log = logging.getLogger(__name__)
_NOWHERE: Place = (1, 0, 1, 1)


def findings_in(source: Source, known: FileState, rules: Sequence[LibRule]) -> list[Finding] | Unreadable:
    """What rules find in a file, or in those statements of it that `known` is about; why LibCST refuses it, if it does.

    On the stack of the caller, which is deep.
    """
    file = opened(source, known)
    if isinstance(file, Unreadable):
        return file
    module = file.module
    found: list[Finding] = []
    pack_of: dict[int, LibRule] = {}

    def failed(rule: cst.CSTVisitor, node: cst.CSTNode, error: Exception) -> None:
        _log.debug("rule %s failed", pack_of[id(rule)].rule.code, exc_info=error)
        found.append(_failure(pack_of[id(rule)], source.path, file.places.get(node, _NOWHERE), error))

    made: list[Rule] = []
    for one in rules:
        try:
            rule = one.make()
        except Exception as error:  # noqa: BLE001 - a stranger's rule costs itself, in this file
            found.append(_failure(one, source.path, _NOWHERE, error))
            continue
        assert isinstance(rule, Rule)
        rule._opened, rule._metadata = file, one.rule
        pack_of[id(rule)] = one
        made.append(rule)
    walk(module, [rule for rule in made if not rule.get_inherited_dependencies()], failed, file.around)
    _walk_with_metadata(module, [rule for rule in made if rule.get_inherited_dependencies()], known, failed)
    for rule in made:
        found += rule._reported
    return found


def _walk_with_metadata(module: cst.Module, rules: Sequence[Rule], known: FileState, failed: object) -> None:
    """Rules that want metadata of LibCST itself, which is made once for all of them."""
    if not rules:
        return
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True, cache={CompileState: known, QualifiedNames: known})
    for rule in rules:
        assert callable(failed)
        try:
            with rule.resolve(wrapper):
                walk(module, [rule], failed)
        except Exception as error:  # noqa: BLE001 - of a provider that the rule asks for
            failed(rule, module, error)


def _failure(rule: LibRule, path: str, place: Place, error: Exception) -> Finding:
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    line, column, _, _ = place
    return Finding(
        FAILED_CHECK,
        f"rule {rule.rule.code} ({rule.rule.name}) of {rule.pack} failed here: {what}",
        FAILED_CHECK.effects,
        Confidence.CERTAIN,
        Location(path, Span(line, column + 1, line, column + 2)),
        why=f"This is a defect of {rule.pack}; its rule was skipped in this file; the others were applied.",
        help=f"Please report it to the authors of {rule.pack}; `--verbose` shows the traceback.",
    )
