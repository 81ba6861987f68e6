"""Which expressions are tensors for certain, by the statements that lead to them: for places that have no finding.

The engine's values reach a rewrite only with a finding; a rewrite that follows a number to its uses meets subscripts
that have none yet. Decided on the safe side: what torch makes, what tensors' methods give, arithmetic with a tensor,
what is annotated `torch.Tensor`, and attributes and names whose every assignment is one of these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode
from compilelint.fixes.engine.imports import spelled_target

_MAKERS = frozenset(
    "abs arange as_tensor atan2 cat clamp cos cumprod cumsum empty empty_like exp eye flip from_numpy full full_like "
    "linspace log logspace ones ones_like pow rand rand_like randn randn_like sigmoid sin sqrt stack sum tensor where "
    "zeros zeros_like Tensor".split()
)
_METHODS = frozenset(
    "abs clamp clone contiguous cos cpu cuda cumprod cumsum detach double exp expand flatten flip float half int lerp "
    "log long permute pow repeat repeat_interleave reshape roll round sigmoid sin sqrt squeeze to transpose "
    "type_as unsqueeze view".split()
)
_FUNCTIONS = frozenset(
    "conv1d conv2d cross_entropy dropout embedding gelu interpolate layer_norm linear log_softmax mse_loss normalize "
    "one_hot pad relu sigmoid silu softmax tanh".split()
)
_LAYERS = frozenset(
    "BatchNorm1d BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d Dropout Embedding GELU GroupNorm LayerNorm Linear "
    "RMSNorm ReLU SiLU Sigmoid Softmax Tanh".split()
)
_PAIRS = frozenset({"torch.topk", "torch.sort", "torch.kthvalue", "torch.cummax", "torch.cummin"})  # two tensors each
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_ANNOTATIONS = frozenset({"torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.BoolTensor"})
_DEEP = 40  # steps of one question; a longer way is not followed

Asked = frozenset[tuple[str, int]]


def is_tensor(node: ast.expr, code: Code, asked: Asked = frozenset()) -> bool:
    """Whether an expression of the file is a tensor, whatever way led to it. `asked` are the questions underway."""
    if len(asked) > _DEEP:
        return False
    if isinstance(node, ast.Call):
        return _is_made(node, code, asked)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
        return is_tensor(node.left, code, asked) or is_tensor(node.right, code, asked)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return is_tensor(node.operand, code, asked)
    if isinstance(node, ast.Subscript):
        return _is_pair(node.value, code) or is_tensor(node.value, code, asked)
    if isinstance(node, ast.Attribute):
        return _is_tensor_attribute(node, code, asked)
    return isinstance(node, ast.Name) and _is_tensor_name(node, code, asked)


def _is_pair(node: ast.expr, code: Code) -> bool:
    """Whether an expression gives two tensors, so that each element of it is one."""
    return isinstance(node, ast.Call) and spelled_target(node.func, code) in _PAIRS


def _is_made(call: ast.Call, code: Code, asked: Asked) -> bool:
    target = spelled_target(call.func, code) or ""
    if target.startswith("torch.nn.functional."):
        return target.removeprefix("torch.nn.functional.") in _FUNCTIONS
    if target.startswith("torch."):
        return target.removeprefix("torch.") in _MAKERS
    method = call.func if isinstance(call.func, ast.Attribute) and not target else None
    if method is None:
        return False
    if isinstance(method.value, ast.Name) and method.value.id == "self":
        return _is_layer(method, code)
    return method.attr in _METHODS and is_tensor(method.value, code, asked)


def _is_layer(node: ast.Attribute, code: Code) -> bool:
    """`self.name`, assigned once in its class: a layer of `torch.nn` that gives one tensor."""
    owner = next((one for one in reversed(code.around(node)) if isinstance(one, ast.ClassDef)), None)
    built = [] if owner is None else list(_stored(owner, node.attr))
    made = built[0] if len(built) == 1 else None
    target = spelled_target(made.func, code) if isinstance(made, ast.Call) else None
    return (target or "").removeprefix("torch.nn.") in _LAYERS


def _is_tensor_attribute(node: ast.Attribute, code: Code, asked: Asked) -> bool:
    """`self.name`, assigned in its class, and a tensor wherever the class assigns it."""
    owner = next((one for one in reversed(code.around(node)) if isinstance(one, ast.ClassDef)), None)
    if not isinstance(node.value, ast.Name) or node.value.id != "self" or owner is None:
        return False
    question = (node.attr, owner.lineno)
    if question in asked:
        return True  # `self.x = self.x.to("cpu")`: what the other assignments say decides
    stored = _stored(owner, node.attr)
    values = [one for one in stored if not (isinstance(one, ast.Constant) and one.value is None)]
    return bool(values) and all(one is not None and is_tensor(one, code, asked | {question}) for one in values)


def _stored(owner: ast.AST, name: str) -> Iterator[ast.expr | None]:
    """What a class assigns to an attribute of itself; None for an assignment of another form."""
    plain: set[int] = set()
    for node in ast.walk(owner):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Attribute) and target.attr == name:
                    plain.add(id(target))
                    yield node.value
        stored = isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load)
        if stored and id(node) not in plain:
            yield None


def _is_tensor_name(node: ast.Name, code: Code, asked: Asked) -> bool:
    """A name whose last assignment before, on every way, is a tensor; or a parameter that is annotated as one."""
    path = code.around(node)
    question = (node.id, node.lineno)
    if question in asked:
        return False
    asked = asked | {question}
    inner = next((index for index in range(len(path) - 1, -1, -1) if isinstance(path[index], ast.stmt)), 0)
    while inner > 0:
        block = _block_of(path[inner], path[inner - 1])
        for statement in reversed(block):
            stored = [one for one in ast.walk(statement) if _stores(one, node.id)]
            if stored and not _all_tensors(stored, statement, code, asked):
                return False
            if stored and _always_binds(statement, node.id):
                return True
        inner -= 1
        above = path[inner]
        if isinstance(above, FunctionNode):
            return _is_annotated(node.id, above)
        looped = isinstance(above, (ast.For, ast.While)) and not any(_stores(one, node.id) for one in ast.walk(above))
        if not looped and not isinstance(above, (ast.If, ast.With)):
            return False  # a loop may bring a later assignment back
    return False


def _block_of(statement: ast.AST, above: ast.AST) -> list[ast.stmt]:
    """The statements before one in its block."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(above, name, None)
        if isinstance(block, list) and statement in block:
            return block[: block.index(statement)]
    return []


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)


def _always_binds(statement: ast.stmt, name: str) -> bool:
    """Whether the name has a value of this statement behind it: an assignment, or an `if` with one in both arms."""
    if isinstance(statement, ast.If):
        return all(any(_always_binds(one, name) for one in arm) for arm in (statement.body, statement.orelse))
    return isinstance(statement, ast.Assign) and any(_stores(one, name) for one in ast.walk(statement))


def _all_tensors(stored: list[ast.AST], statement: ast.stmt, code: Code, asked: Asked) -> bool:
    """Whether every binding of the name in a statement is a plain assignment of a tensor."""
    for assignment in ast.walk(statement):
        if not isinstance(assignment, ast.Assign) or len(assignment.targets) != 1:
            continue
        if isinstance(assignment.targets[0], ast.Tuple) and _is_pair(assignment.value, code):
            stored = [one for one in stored if one not in assignment.targets[0].elts]
        elif assignment.targets[0] in stored:
            if not is_tensor(assignment.value, code, asked):
                return False
            stored = [one for one in stored if one is not assignment.targets[0]]
    return not stored


def _is_annotated(name: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    found = next((one for one in every if one.arg == name), None)
    return found is not None and found.annotation is not None and ast.unparse(found.annotation) in _ANNOTATIONS
