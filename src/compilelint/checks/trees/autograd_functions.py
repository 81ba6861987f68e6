"""CL510 to CL515: custom `autograd.Function` classes that do not keep the contract of forward and backward.

Eager autograd tests the contract when it runs and raises; a compiled graph differentiates what it traced and does not,
so that a mistake passes in silence. Guarantee: methods with `*args` and returns that cannot be counted say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import libcst as cst

from compilelint.checks import autograd_functions as family
from compilelint.checks.trees.tree_rule import TreeRule, is_name, last_name, within
from compilelint.model import Confidence, Doubt

_FUNCTIONS = ("torch.autograd.Function", "torch.autograd.function.Function")
_NUMBERS = ("int", "float", "bool", "str")
# Operators on tensors; `+` also joins tuples, and `*` repeats them.
_TENSOR_OPERATORS = (cst.Subtract, cst.Divide, cst.MatrixMultiply, cst.Power, cst.Multiply)
_LITERALS = (cst.BaseString, cst.BaseNumber)
_CONTAINERS = (cst.Tuple, cst.List, cst.Set, cst.Dict, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


class Method:
    """A method of an autograd function: its parameters, and what its body does with names."""

    def __init__(self, node: cst.FunctionDef, owner: cst.ClassDef) -> None:
        self.node = node
        self.owner = owner
        self.is_backward = node.name.value == "backward"
        given = node.params
        self.params = [*given.posonly_params, *given.params, *given.kwonly_params]
        self.takes_any = isinstance(given.star_arg, cst.Param) or given.star_kwarg is not None
        self.context = self.params[0].name.value if self.params else ""
        self.gradients = {one.name.value for one in [*given.posonly_params, *given.params][1:]}
        self.kinds = {one.name.value: last_name(one.annotation.annotation) for one in self.params if one.annotation}

    def nodes(self, *kinds: type[Any]) -> Iterator[Any]:
        """The nodes of these classes in the body."""
        return within(self.node.body, *kinds)

    def is_of_context(self, node: cst.CSTNode, name: str = "") -> bool:
        """Whether a node is `ctx.name`, of any name if none is given."""
        return isinstance(node, cst.Attribute) and is_name(node.value, self.context) and name in ("", node.attr.value)

    @cached_property
    def rebound(self) -> set[str]:
        """Names that the body assigns as a whole, but from `ctx.saved_tensors`."""
        found: set[str] = set()
        for node in self.nodes(cst.Assign, cst.For):
            if isinstance(node, cst.For):
                found.update(_bound(node.target))
            elif not (self.is_backward and _is_saved(node.value)):
                found.update(name for one in node.targets for name in _bound(one.target))
        return found

    def writes(self) -> Iterator[tuple[str, cst.CSTNode]]:
        """Names whose tensors the body changes in place, and never binds again: `x.mul_()`, `x[i] = v`, `x *= 2`."""
        for node in self.nodes(cst.Assign, cst.AugAssign, cst.Call):
            if isinstance(node, cst.Assign):
                found: list[tuple[cst.CSTNode, cst.CSTNode]] = [
                    (one.target.value, one.target) for one in node.targets if isinstance(one.target, cst.Subscript)
                ]
            elif isinstance(node, cst.AugAssign):
                whole = node.target.value if isinstance(node.target, cst.Subscript) else node.target
                found = [(whole, node.target)]
            else:
                func = node.func
                found = (
                    [(func.value, node)] if isinstance(func, cst.Attribute) and _is_in_place(func.attr.value) else []
                )
            for written, place in found:
                if isinstance(written, cst.Name) and written.value not in self.rebound:
                    yield written.value, place


def _is_in_place(method: str) -> bool:
    return method.endswith("_") and not method.startswith("_") and method not in ("requires_grad_", "detach_")


def _bound(target: cst.CSTNode) -> Iterator[str]:
    """The names that a target binds as a whole."""
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, (cst.Tuple, cst.List)):
        for one in target.elements:
            yield from _bound(one.value)


def _is_saved(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == "saved_tensors"


class FunctionRule(TreeRule):
    """Hands on the methods of autograd functions, wherever the class stands."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        owner, name = self.inside(cst.ClassDef), node.name.value
        if name in ("forward", "setup_context", "backward") and owner is not None and self.derives(owner, *_FUNCTIONS):
            (self.backward if name == "backward" else self.forward)(Method(node, owner))

    def forward(self, method: Method) -> None:
        """Look at a `forward` or `setup_context`."""

    def backward(self, method: Method) -> None:
        """Look at a `backward`."""


class GradientCount(FunctionRule):
    """`return grad` for two inputs."""

    rule = family.GRADIENT_COUNT

    def backward(self, method: Method) -> None:
        inputs = self._inputs(method.owner)
        if inputs is None or next(method.nodes(cst.Yield), None) is not None:
            return
        needed = sum(one.default is None for one in inputs)
        wanted = str(len(inputs)) if needed == len(inputs) else f"{needed} to {len(inputs)}"
        dead = _behind_raise(method.node.body)
        for node in method.nodes(cst.Return):
            given = _gradients(node.value, method.gradients)
            if given is None or any(node is one for one in dead):
                continue
            if len(given) < needed or any(not is_name(one, "None") for one in given[len(inputs) :]):
                many = f"{len(given)} gradient{'' if len(given) == 1 else 's'}, `forward` takes {wanted} inputs"
                self._say(node, f"`backward` returns {many}", Confidence.CERTAIN)
                continue
            for one, param in zip(given, inputs, strict=False):
                kind = last_name(param.annotation.annotation) if param.annotation else ""
                if kind in _NUMBERS and _is_gradient(one, method):
                    text = "`backward` returns a gradient for an input that is not a tensor"
                    self._say(
                        node, f"{text}: `{param.name.value}` is annotated `{kind}`", Doubt.PASSED_AS_ANNOTATED.cap
                    )

    def _inputs(self, owner: cst.ClassDef) -> list[cst.Param] | None:
        """The parameters of `forward` that `apply` fills; None where any number may come."""
        own = [one for one in within(owner.body, cst.FunctionDef) if one.name.value == "forward"]
        if not own or (method := Method(own[-1], owner)).takes_any:
            return None
        bound = any(last_name(one.decorator) == "classmethod" for one in own[-1].decorators)
        return method.params[bound + (not self.defines(owner, "setup_context")) :]

    def _say(self, node: cst.CSTNode, message: str, sure: Confidence) -> None:
        self.report(
            node,
            message,
            confidence=sure,
            why="Eager autograd raises at run time; compiled code does not check and trains with wrong gradients.",
            help="return one value for each input of `forward`, in order, `None` for those without a gradient",
        )


def _behind_raise(body: cst.BaseSuite) -> list[cst.Return]:
    """The returns of a body that stand behind its own `raise`, and so never run."""
    found: list[cst.Return] = []
    raised = False
    lines = [line for line in body.body if isinstance(line, cst.SimpleStatementLine)]
    for small in (one for line in lines for one in line.body):
        raised = raised or isinstance(small, cst.Raise)
        if raised and isinstance(small, cst.Return):
            found.append(small)
    return found


def _gradients(value: cst.BaseExpression | None, gradients: set[str]) -> list[cst.BaseExpression] | None:
    """What a `return` gives, one item a gradient; None where that is not known."""
    if isinstance(value, cst.Tuple):
        starred = any(isinstance(one, cst.StarredElement) for one in value.elements)
        return None if starred else [one.value for one in value.elements]
    if isinstance(value, cst.Name):
        return [value] if value.value in gradients else None
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, _TENSOR_OPERATORS):
        known = any(one.value in gradients for one in within(value, cst.Name))
        return [value] if known and next(within(value, *_CONTAINERS), None) is None else None
    return None


def _is_gradient(node: cst.BaseExpression, method: Method) -> bool:
    """Whether it is one for sure: the result of an operator, or a name that is nowhere given None."""
    if not isinstance(node, cst.Name) or node.value == "None":
        return isinstance(node, cst.BinaryOperation)
    given = [
        one
        for one in method.nodes(cst.Assign)
        if any(is_name(x, node.value) for t in one.targets for x in within(t, cst.Name))
    ]
    return not any(is_name(x, "None") for one in given for x in within(one, cst.Name))


class SavedObject(FunctionRule):
    """`ctx.save_for_backward(x, 3)`."""

    rule = family.SAVED_OBJECT

    def forward(self, method: Method) -> None:
        for call in method.nodes(cst.Call):
            if method.is_of_context(call.func, "save_for_backward"):
                for one in call.args:
                    what = self._no_tensor(one.value, method)
                    if what and not one.star and one.keyword is None:
                        self.report(
                            one.value,
                            f"`save_for_backward` gets {what}, which is not a tensor",
                            confidence=Confidence.CERTAIN,
                            why="Eager code raises a TypeError here; compiled code does not, so tests of the compiled "
                            "model pass.",
                            help="keep it on the context: `ctx.name = value`",
                        )

    def _no_tensor(self, node: cst.BaseExpression, method: Method) -> str:
        """What an argument is, in words, if it is certainly no tensor."""
        if isinstance(node, _LITERALS) or is_name(node, "True", "False"):
            return f"`{self.module.code_for_node(node)}`"
        if isinstance(node, _CONTAINERS):
            return "a container"
        if isinstance(node, cst.Attribute) and node.attr.value in ("shape", "dtype", "device"):
            return f"a `{node.attr.value}`"
        kind = method.kinds.get(last_name(node)) if isinstance(node, cst.Name) else None
        if kind in _NUMBERS and last_name(node) not in method.rebound:
            return f"`{last_name(node)}` (annotated `{kind}`)"
        return ""


class ContextTensor(FunctionRule):
    """`ctx.x = x` for a tensor: an argument annotated as one, or what `forward` returns."""

    rule = family.CONTEXT_TENSOR

    def forward(self, method: Method) -> None:
        returned = {one.value.value for one in method.nodes(cst.Return) if isinstance(one.value, cst.Name)}
        for node in method.nodes(cst.Assign):
            name = node.value.value if isinstance(node.value, cst.Name) else ""
            is_tensor = method.kinds.get(name) == "Tensor" or name in returned
            target = node.targets[0].target
            if is_tensor and method.is_of_context(target) and not _asked_for_form(method.owner, target.attr.value):
                self.report(
                    node,
                    f"the tensor `{name}` is kept on the context",
                    confidence=Doubt.WRITTEN_LATER_UNSEEN.cap,
                    why="If it changes before backward runs, the gradient is silently wrong; a saved output leaks "
                    "memory.",
                    help=f"`ctx.save_for_backward({name})`, and `ctx.saved_tensors` in `backward`",
                )


_FORM = frozenset({"shape", "dtype", "device", "layout", "ndim", "is_cuda", "numel", "size", "dim"})


def _asked_for_form(owner: cst.ClassDef, name: str) -> bool:
    """Whether all that `backward` reads of `ctx.name` is its shape, dtype or device, which no write changes."""
    methods = (one for one in within(owner.body, cst.FunctionDef) if one.name.value == "backward")
    for method in methods:
        reads = [one for one in within(method.body, cst.Attribute) if one.attr.value == name]
        forms = [one.value for one in within(method.body, cst.Attribute) if one.attr.value in _FORM]
        for call in within(method.body, cst.Call):
            if last_name(call.func).endswith("_like"):
                forms += [one.value for one in call.args]
        if reads:
            return all(any(one is form for form in forms) for one in reads)
    return False


class SavedTensorWrite(FunctionRule):
    """`ctx.save_for_backward(x); x.mul_(2)`."""

    rule = family.SAVED_TENSOR_WRITE

    def forward(self, method: Method) -> None:
        saved: set[str] = set()
        written = {node: name for name, node in method.writes()}
        for statement in method.node.body.body:
            for node in within(statement, cst.CSTNode):
                if written.get(node) in saved:
                    self._say(node, written[node], "`forward` saved it before")
                at_once = isinstance(statement, cst.SimpleStatementLine) and isinstance(node, cst.Call)
                if at_once and isinstance(node, cst.Call) and method.is_of_context(node.func, "save_for_backward"):
                    saved |= {one.value.value for one in node.args if isinstance(one.value, cst.Name)}

    def backward(self, method: Method) -> None:
        saved: set[str] = set()
        for node in method.nodes(cst.Assign):
            if _is_saved(node.value):
                saved.update(one.value for t in node.targets for one in within(t, cst.Name))
        for name, written in method.writes():
            if name in saved and name not in method.gradients:
                self._say(written, name, "`backward` is given it as it was saved")

    def _say(self, node: cst.CSTNode, name: str, detail: str) -> None:
        self.report(
            node,
            f"`{name}` is written in place, and {detail}",
            confidence=Doubt.SHARED_UNSEEN.cap,
            why="`save_for_backward` keeps the tensor, not a copy, so backward sees the new values.",
            help="write out of place, or save a clone",
        )


class GradientWrite(FunctionRule):
    """`grad.mul_(2)` in `backward`."""

    rule = family.GRADIENT_WRITE

    def backward(self, method: Method) -> None:
        for name, node in method.writes():
            if name in method.gradients:
                self.report(
                    node,
                    f"`backward` writes `{name}`, which other code may share",
                    confidence=Doubt.SHARED_UNSEEN.cap,
                    why="Where a tensor is used twice, both uses share one gradient: this write corrupts the other.",
                    help=f"write out of place, or clone it first: `{name} = {name}.clone()`",
                )


class FunctionInstance(TreeRule):
    """`MyFunction()(x)`: the way of torch before 1.3."""

    rule = family.FUNCTION_INSTANCE

    def visit_Call(self, node: cst.Call) -> None:
        made = node.func
        if not isinstance(made, cst.Call) or not self.derives(made.func, "torch.autograd.Function"):
            return
        if not self.defines(made.func, "__call__"):
            name = self.qualified_name(made.func).rpartition(".")[2]
            self.report(
                node,
                f"an instance of `{name}` is called",
                confidence=Confidence.CERTAIN,
                why="Since torch 1.5 an autograd function cannot be called as an object: eager and compiled raise.",
                help=f"`{name}.apply(...)`, with static `forward` and `backward`",
            )
