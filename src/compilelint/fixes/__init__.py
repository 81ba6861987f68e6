"""Rewrites: how a finding becomes a change of the source, and what keeps that change honest.

A check names a rewrite and hands over what the engine knows as plain data (`model.Rewrite`: the condition's dtype and
rank, whether it is a tensor on every path). Nothing more happens during a lint. Only where a change is asked for, or a
finding is shown in full, `proposals` computes edits: each rewrite looks at the syntax around the finding, decides
whether it is legal there, and changes the smallest enclosing statement with LibCST (`engine.code`), so that comments
and formatting stay. Guarantees: a rewrite never guesses (what it cannot prove legal it leaves alone), and `Safety.SAFE`
means the same results, exceptions, dtype, device and state for every input, in eager mode and compiled.

`engine` holds what they stand on; `rewrites` has one idiom a file, registered by decorator. Does not belong here: what
is a finding (`checks`), and when fixes are applied (`session.fixing`).
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Collection, Iterator
from dataclasses import replace

from compilelint.fixes import rewrites as _folder
from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.elsewhere import Elsewhere
from compilelint.fixes.engine.imports import imports_already
from compilelint.fixes.engine.laws import Offer
from compilelint.fixes.engine.registry import rewrites
from compilelint.model import Finding, Fix, Safety
from compilelint.syntax.source import Source
from compilelint.syntax.stack import run_with_deep_stack

for _module in pkgutil.iter_modules(_folder.__path__):
    importlib.import_module(f"{_folder.__name__}.{_module.name}")


def code_of(source: Source, linted: Collection[str] = ()) -> Code | None:
    """The file as rewrites see it; None where it does not parse. `linted` are the files that a fix may change too."""
    tree = source.tree()
    if not isinstance(tree, ast.Module):
        return None
    code = Code(source, tree)
    code.elsewhere = Elsewhere(linted, source.path) if linted else None
    return code


def proposals(finding: Finding, code: Code, proven: bool = False, configure: bool = False) -> tuple[Fix, ...]:
    """Every fix that is legal for a finding, the one that changes least first; empty where there is none.

    `code` is the finding's file, unchanged since it was linted; `proven` says that each fix is run before it is kept;
    `configure` adds those that set a switch of Dynamo's configuration for the whole process.
    The edits of one fix do not overlap; those in other files than the finding's name them, and are of linted files.
    """
    return run_with_deep_stack(lambda: tuple(_proposed(finding, code, proven, configure)))


def first_proposal(finding: Finding, code: Code, unsafe: bool = True) -> Fix | None:
    """The first of `proposals`, of the safe ones where it must not be `unsafe`; those behind it are not computed."""

    def first() -> Fix | None:
        return next((fix for fix in _proposed(finding, code) if unsafe or fix.safety is Safety.SAFE), None)

    return run_with_deep_stack(first)


def _proposed(finding: Finding, code: Code, proven: bool = False, configure: bool = False) -> Iterator[Fix]:
    if finding.rewrite is None:
        return
    name = finding.rewrite.name
    for make in (*rewrites(name), *(rewrites(name, proven=True) if proven else ())):
        try:
            for one in make(finding, code):
                fix = _lawful(one, code, proven) if isinstance(one, Offer) else one
                if fix is None or not fix.edits or _comes_to_need_torch(fix, code):
                    continue
                if configure or not fix.configures:
                    yield replace(fix, rewrite=make.__name__)
        except SyntaxError:  # LibCST refuses what was made of `if(x):`, where no space parts two words
            continue


def _comes_to_need_torch(fix: Fix, code: Code) -> bool:
    """Whether a file comes to import torch that did without, or asks first whether torch is there.

    Where torch is missing it would load no more: helpers of a package, and what guards its imports, may have to.
    """
    for edit in fix.edits:
        other = code.elsewhere.code(edit.path) if edit.path and code.elsewhere is not None else None
        if edit.text.startswith("import torch\n") and not imports_already(other or code, "torch"):
            return True
    return False


def _lawful(offer: Offer, code: Code, proven: bool) -> Fix | None:
    """The fix of an offer, if a run will prove it or all that it assumes holds by the text."""
    if not offer.unmet(code):
        return offer.fix
    return replace(offer.fix, varied=offer.varied(code)) if proven else None
