"""Which expressions may be computed although their value is not wanted: the question behind every `torch.where`.

Decided by syntax, on the safe side: names, constants, attributes, arithmetic and comparisons, indexing, and calls of
torch functions or of methods that tensors have and that change nothing. A call of anything else could print, draw,
raise or change state, so it is refused. What draws random numbers is refused too.
"""

from __future__ import annotations

import ast

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spelled_target

# Methods that read and make tensors; whatever is not here (`layer(x)`, `self.f(x)`, `x.add_()`) may have effects.
_METHODS = frozenset(
    "abs add all amax amin any argmax argmin bmm bool ceil chunk clamp clamp_max clamp_min clone contiguous cos cumsum "
    "detach diff dim div double eq exp expand expand_as flatten flip float floor gather ge gt half index_select int "
    "isfinite isinf isnan log log1p log_softmax long lt le masked_fill matmul max maximum mean min minimum mm mul ne "
    "neg new_full new_ones new_zeros norm permute pow prod relu repeat reshape reciprocal roll round rsqrt scatter "
    "sigmoid sign sin size softmax split sqrt square squeeze stack std sub sum tanh to transpose tril triu type_as "
    "unflatten unfold unsqueeze var view view_as where logical_not logical_and logical_or nan_to_num t".split()
)
_DRAWS = ("rand", "normal", "bernoulli", "multinomial", "dropout", "poisson", "seed", "manual_seed")
_NOT_MADE_OF_TENSORS = ("save", "load", "compile", "no_grad", "set_", "cuda.", "distributed.", "autograd.", "jit.")
_BUILTINS = frozenset({"abs", "len", "float", "int", "max", "min", "isinstance", "tuple"})
_PLAIN = (
    ast.Name,
    ast.Constant,
    ast.Attribute,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.List,
    ast.keyword,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.expr_context,
)


def is_pure(expression: ast.expr, code: Code) -> bool:
    """Whether computing the expression changes nothing, draws nothing and is no more than tensor math."""
    pending: list[ast.AST] = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call):
            if not _is_pure_call(node, code):
                return False
        elif not isinstance(node, _PLAIN):
            return False
        pending.extend(ast.iter_child_nodes(node))
    return True


def draws(name: str) -> bool:
    """Whether a function draws random numbers, by the last part of its name."""
    return any(word in name.rpartition(".")[2] for word in _DRAWS)


def _is_pure_call(call: ast.Call, code: Code) -> bool:
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return False
    if isinstance(call.func, ast.Name) and call.func.id in _BUILTINS:
        return True
    target = spelled_target(call.func, code)
    if target is not None and (target == "torch" or target.startswith("torch.")):
        name = target.removeprefix("torch.")
        last = name.rpartition(".")[2]
        if last.endswith("_") or any(keyword.arg in ("out", "inplace") for keyword in call.keywords):
            return False
        return not draws(last) and not name.startswith(_NOT_MADE_OF_TENSORS)
    return target is None and isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS
