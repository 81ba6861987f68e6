"""A number read from a tensor that is kept, returned and indexed with: it stays a tensor all over the file. Unsafe.

`reads` drops `.item()` where one function uses the value as a tensor would be used. Here the value is followed through
what it is assigned, returned and handed to: names, attributes of the class, properties, methods. What only a number can
do, such as a test of it, a size or a call of unknown code, forbids the rewrite, since the read would only move there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import field

from compilelint.fixes.engine.code import Code, FunctionNode
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.known_tensors import is_tensor
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span
from compilelint.model.slotted import dataclass

_TITLE = "keep the number as a 0-d tensor wherever it goes in this file"
_LIKE_INTEGERS = (ast.Add, ast.Sub, ast.Mult)
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_MOST_USES = 200

Function = ast.FunctionDef | ast.AsyncFunctionDef


@rewrite("host-read", rank=2, rules=("CL102",))
def followed_number(finding: Finding, code: Code) -> Iterator[Offer]:
    """`self.step = found.item()`, and the `x[self.step + 1]` of other methods, become 0-d tensors and indices of them.

    Legal where the tensor is of integers, and every place of the file that the number reaches adds, subtracts or
    multiplies it, asks whether it is None, indexes with it what is a tensor for certain, or puts it in a list (there
    it is a Python number again). Changes: the attribute, or what the function returns, is a 0-d tensor, for other
    files and pickles too; an index beyond the end raises later on a GPU.
    """
    span, known = finding.location.span, finding.rewrite
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call) and _is_item(one)), None)
    tensor = spell(code, "torch.as_tensor", span)
    if call is None or known is None or known.fact("dtype") != "int" or known.fact("array") or tensor is None:
        return
    if tensor.edits or not known.fact("always") or not isinstance(call.func, ast.Attribute):
        return
    followed = _Followed(code, tensor.text)
    followed.value(call)
    if followed.run() and (followed.indexed or followed.attributes):
        read, end = code.span(call.func.value), code.span(call)
        flat = "" if known.fact("rank") == 0 else ".reshape(())"
        dropped = Edit(Span(read.end_line, read.end_column, end.end_line, end.end_column), flat)
        yield Offer(
            Fix(Safety.UNSAFE, _TITLE, (dropped, *followed.edits)),
            (OnlyRuns("code that reads the value may need a number, and the dtype may change", ("dtype",)),),
        )


def _is_item(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "item" and not call.args and not call.keywords


@dataclass(slots=True)
class _Followed:
    """Where the number goes: expressions that hold it are looked at one by one, until all are or one forbids it."""

    code: Code
    as_tensor: str
    edits: list[Edit] = field(default_factory=list)
    indexed: bool = False
    attributes: set[str] = field(default_factory=set)
    _pending: list[ast.expr] = field(default_factory=list)
    _seen: set[int] = field(default_factory=set)
    _names: set[tuple[int, str]] = field(default_factory=set)
    _allowed: bool = True

    def value(self, node: ast.expr) -> None:
        """Note an expression that holds the number."""
        if id(node) not in self._seen:
            self._seen.add(id(node))
            self._pending.append(node)

    def run(self) -> bool:
        """Whether a tensor does wherever the number goes."""
        while self._pending and self._allowed and len(self._seen) < _MOST_USES:
            node = self._pending.pop()
            self._allowed = self._takes_it(node, self.code.around(node))
        return self._allowed and not self._pending

    def _takes_it(self, node: ast.expr, around: list[ast.AST]) -> bool:
        above = around[-1]
        if isinstance(above, ast.BinOp) and isinstance(above.op, _LIKE_INTEGERS):
            self.value(above)
            return True
        if isinstance(above, ast.IfExp) and node is not above.test:
            self.value(above)
            return True
        if isinstance(above, ast.Compare):
            return all(isinstance(op, (ast.Is, ast.IsNot)) for op in above.ops)
        if isinstance(above, ast.Subscript) and above.slice is node:
            return self._index(above)
        if isinstance(above, (ast.List, ast.ListComp)):
            self._put_around(node, "int(", ")")
            return True
        if isinstance(above, ast.Call):
            return self._argument(node, above, around)
        if isinstance(above, ast.Return):
            return self._returned(around)
        if isinstance(above, ast.Assign) and above.value is node and len(above.targets) == 1:
            return self._stored(above.targets[0], around)
        return isinstance(above, ast.Expr)

    def _put_around(self, node: ast.expr, before: str, behind: str) -> None:
        line, column, end_line, end_column = self.code.span(node)
        self.edits.append(Edit(Span(line, column, line, column), before))
        self.edits.append(Edit(Span(end_line, end_column, end_line, end_column), behind))

    def _index(self, subscript: ast.Subscript) -> bool:
        """`x[i]` becomes `x[torch.as_tensor(i, device=x.device).reshape(1)].squeeze(0)`: eager code takes an index that
        lies on another device only where it has no dimension."""
        of, code = subscript.value, self.code
        span = code.span(of)
        if not isinstance(subscript.ctx, ast.Load) or not is_tensor(of, code) or not is_pure(of, code):
            return False
        if span.line != span.end_line:
            return False
        text = code.source.line(span.line)[span.column - 1 : span.end_column - 1]
        self._put_around(subscript.slice, f"{self.as_tensor}(", f", device={text}.device).reshape(1)")
        end = code.span(subscript)
        self.edits.append(Edit(Span(end.end_line, end.end_column, end.end_line, end.end_column), ".squeeze(0)"))
        self.indexed = True
        return True

    def _argument(self, node: ast.expr, call: ast.Call, around: list[ast.AST]) -> bool:
        """An argument of a method of the same class goes on as that method's parameter."""
        owner, func = _owner(around), call.func
        if node is func or owner is None or not isinstance(func, ast.Attribute) or not _is_self(func.value):
            return False
        method = next((one for one in owner.body if isinstance(one, FunctionNode) and one.name == func.attr), None)
        if method is None or method.decorator_list or method.args.posonlyargs or node not in call.args:
            return False
        if any(isinstance(one, ast.Starred) for one in call.args):
            return False
        place = call.args.index(node) + 1
        return place < len(method.args.args) and self._name(method.args.args[place].arg, method)

    def _returned(self, around: list[ast.AST]) -> bool:
        """What a property returns is read by its name; what a method or function returns, where it is called."""
        function = next((one for one in reversed(around) if isinstance(one, FunctionNode)), None)
        if function is None:
            return False
        decorators = [ast.unparse(one) for one in function.decorator_list]
        if decorators == ["property"]:
            return self._attribute(function.name)
        if decorators or isinstance(function, ast.AsyncFunctionDef):
            return False
        for node in ast.walk(self.code.tree):
            called = isinstance(node, ast.Call) and _last_name(node.func) == function.name
            if called and isinstance(node, ast.Call):
                self.value(node)
        return not self._is_handed_on(function.name)

    def _is_handed_on(self, name: str) -> bool:
        """Whether a function is used in another way than by a call: its results then go out of sight."""
        called = {id(one.func) for one in ast.walk(self.code.tree) if isinstance(one, ast.Call)}
        return any(
            isinstance(one, (ast.Name, ast.Attribute)) and _last_name(one) == name and id(one) not in called
            for one in ast.walk(self.code.tree)
        )

    def _stored(self, target: ast.expr, around: list[ast.AST]) -> bool:
        if isinstance(target, ast.Attribute) and _is_self(target.value) and _owner(around) is not None:
            return self._attribute(target.attr)
        function = next((one for one in reversed(around) if isinstance(one, FunctionNode)), None)
        return isinstance(target, ast.Name) and function is not None and self._name(target.id, function)

    def _attribute(self, name: str) -> bool:
        """Every read of an attribute of that name holds the number; `self.x += 1` must not write into the tensor."""
        if name in self.attributes:
            return True
        self.attributes.add(name)
        for node in ast.walk(self.code.tree):
            if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
                self.value(node)
        return self._steps(self.code.tree, lambda target: isinstance(target, ast.Attribute) and target.attr == name)

    def _name(self, name: str, function: Function) -> bool:
        """Every read of a name in its function holds the number; a name that inner functions share is not followed."""
        if (id(function), name) in self._names:
            return True
        self._names.add((id(function), name))
        inner = [
            one for one in ast.walk(function) if isinstance(one, (*FunctionNode, ast.Lambda)) and one is not function
        ]
        if any(isinstance(one, ast.Name) and one.id == name for node in inner for one in ast.walk(node)):
            return False
        if any(isinstance(one, (ast.Global, ast.Nonlocal)) and name in one.names for one in ast.walk(function)):
            return False
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                self.value(node)
        return self._steps(function, lambda target: isinstance(target, ast.Name) and target.id == name)

    def _steps(self, within: ast.AST, is_it: object) -> bool:
        """`self.x += 1` becomes `self.x = self.x + 1`: in place it would change what others hold."""
        assert callable(is_it), "a test of the target"
        for node in ast.walk(within):
            if not isinstance(node, ast.AugAssign) or not is_it(node.target):
                continue
            sign = _SIGNS.get(type(node.op))
            target, value = self.code.span(node.target), self.code.span(node.value)
            if sign is None or not isinstance(node.value, (ast.Constant, ast.Name, ast.Attribute, ast.Call)):
                return False
            if target.line != value.line:
                return False
            text = ast.unparse(node.target)
            between = Span(target.line, target.end_column, value.line, value.column)
            self.edits.append(Edit(between, f" = {text} {sign} "))
        return True


def _owner(around: list[ast.AST]) -> ast.ClassDef | None:
    return next((one for one in reversed(around) if isinstance(one, ast.ClassDef)), None)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
