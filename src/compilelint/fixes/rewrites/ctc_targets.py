"""Targets of a CTC loss that a mask picks: each row keeps its length, with what is picked in front. Only with proof.

`labels.masked_select(mask)` is as long as there are targets in a batch, which is data. The loss takes them by rows as
well, and reads of each row as many as `target_lengths` says.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety

LOSSES = frozenset({"torch.nn.functional.ctc_loss", "torch.ctc_loss"})
_ROW = ("-1", "1")


@rewrite("mask", rank=6, proven=True)
@rewrite("dynamic-shape", rank=6, proven=True, rules=("CL120",))
def padded_targets(finding: Finding, code: Code) -> Iterator[Offer]:
    """`targets = labels.masked_select(mask)` becomes `labels.gather(-1, (~mask).sort(dim=-1, stable=True).indices)`.

    Legal where the mask is a name, its function gives `mask.sum(-1)` to the loss as the lengths of the targets, and the
    targets go into that loss alone: `F.ctc_loss(log_probs, targets, input_lengths, target_lengths)`. Changes: the loss
    gets targets by rows, of which it reads the same ones in the same order; labels of one dimension raise.
    """
    span = finding.location.span
    node = next((one for one in reversed(code.path(span)) if _picked(one) is not None), None)
    function = code.function(span)
    parts = None if node is None else _picked(node)
    if function is None or parts is None or not isinstance(node, ast.expr):
        return
    labels, mask = parts
    statement = code.around(node)[-1]
    if not isinstance(statement, ast.Assign) or statement.value is not node or len(statement.targets) != 1:
        return
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or not isinstance(mask, ast.Name) or not is_pure(labels, code):
        return
    if not _goes_with_its_lengths(target.id, mask.id, function, code):
        return
    text = code.text(labels)
    if text is None:
        return
    owner = text if isinstance(labels, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({text})"
    made = f"{owner}.gather(-1, (~{mask.id}).sort(dim=-1, stable=True).indices)"
    yield Offer(
        Fix(Safety.UNSAFE, "give the loss its targets by rows", (Edit(code.span(node), made),)),
        (OnlyRuns("the labels may have one dimension, or the mask another shape"),),
    )


def _picked(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """`labels` and `mask` of `labels.masked_select(mask)` and `labels[mask]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        return node.value, node.slice
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return None
    named = node.func.attr == "masked_select" and len(node.args) == 1
    return (node.func.value, node.args[0]) if named else None


def _goes_with_its_lengths(
    targets: str, mask: str, function: ast.FunctionDef | ast.AsyncFunctionDef, code: Code
) -> bool:
    """Whether the targets are read by one CTC loss alone, which is given the sums of the mask's rows as lengths."""
    stores = Counter(one.id for one in names_in(function, is_store))
    if stores[targets] != 1 or stores[mask] != 1:
        return False
    reads = list(names_in(function, lambda one: one.id == targets and not is_store(one)))
    call = code.around(reads[0])[-1] if len(reads) == 1 else None
    if not isinstance(call, ast.Call) or any(isinstance(one, ast.Starred) for one in call.args):
        return False
    if spelled_target(call.func, code) not in LOSSES and not is_a_layer(call.func, code):
        return False
    given: dict[str | None, ast.expr] = {one.arg: one.value for one in call.keywords}
    given.update(zip(("log_probs", "targets", "input_lengths", "target_lengths"), call.args, strict=False))
    lengths = given.get("target_lengths")
    if given.get("targets") is not reads[0] or lengths is None:
        return False
    if isinstance(lengths, ast.Name):
        made = [
            one.value
            for one in ast.walk(function)
            if isinstance(one, ast.Assign) and any(name.id == lengths.id for name in names_in(one.targets[0], is_store))
        ]
        return len(made) == stores[lengths.id] == 1 and _sums(made[0], mask)
    return _sums(lengths, mask)


def _sums(node: ast.expr, mask: str) -> bool:
    """`mask.sum(-1)`."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != f"{mask}.sum":
        return False
    given = [*node.args, *(one.value for one in node.keywords if one.arg == "dim")]
    return len(given) == 1 and len(node.args) + len(node.keywords) == 1 and ast.unparse(given[0]) in _ROW


def is_a_layer(func: ast.expr, code: Code) -> bool:
    """`self.loss` or `loss`, which its class or function makes as `nn.CTCLoss(...)` and as nothing else."""
    kind = ast.ClassDef if isinstance(func, ast.Attribute) else FunctionNode
    home = next((one for one in reversed(code.around(func)) if isinstance(one, kind)), None)
    if home is None or not isinstance(func, (ast.Name, ast.Attribute)):
        return False
    text = ast.unparse(func)
    made = [
        one.value
        for one in ast.walk(home)
        if isinstance(one, ast.Assign) and any(ast.unparse(target) == text for target in one.targets)
    ]
    return len(made) == 1 and isinstance(made[0], ast.Call) and spelled_target(made[0].func, code) == "torch.nn.CTCLoss"
