"""Numbers that a function only reports are read behind the compiled call, by the caller.

`return loss, {"loss": loss.item()}`: nothing in the function needs the number. While compiling the report holds the
detached tensor, which `print`, `float()` and a format with a precision take as they take the number; eager code holds
the number as before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

_COMPILING = "torch.compiler.is_compiling"
_HELPER = "_for_the_caller"


@rewrite("host-read", rank=6, rules=("CL102",))
def read_behind_the_call(finding: Finding, code: Code) -> Iterator[Fix]:
    """`{"loss": loss.item()}` in what a function returns holds `loss.detach()` while compiling.

    Legal where the call stands alone as a value of a dict that the function only fills and returns: of a dict display,
    an entry by a key that is a text, or `.update({...})`. Changes: nothing in eager code; compiled, the caller is
    given a 0-d tensor in the place of a number, and waits for the device when it reads it and not before; `json` and
    `isinstance(x, float)` take no tensor.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call) and _is_item(one)), None)
    function, compiling = code.function(span), spell(code, _COMPILING, span)
    known = finding.rewrite
    if call is None or not isinstance(function, ast.FunctionDef) or compiling is None or known is None:
        return
    if known.fact("array") or not known.fact("always") or not isinstance(call.func, ast.Attribute):
        return
    report, value, outermost = _report(call, path, code), code.text(call.func.value), path[1]
    if report is None or not _is_only_returned(report, function, code) or value is None or compiling.edits:
        return
    if not isinstance(outermost, ast.stmt):
        return
    wanted, top = _helper(compiling.text, code), _first_definition(code, outermost)
    there = [one for one in code.tree.body if isinstance(one, ast.FunctionDef) and one.name == _HELPER]
    if any(ast.dump(one) != ast.dump(ast.parse(wanted).body[0]) for one in there):
        return
    edits = [Edit(code.span(call), f"{_HELPER}({value})")]
    if not there:
        edits.append(Edit(Span(top, 1, top, 1), wanted))
    yield Fix(Safety.UNSAFE, "let the caller read the number", tuple(edits))


def _helper(compiling: str, code: Code) -> str:
    return (
        f"def {_HELPER}(number):\n"
        f"{code.indent}return number.detach().reshape(()) if {compiling}() else number.item()\n\n\n"
    )


def _is_item(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "item" and not call.args and not call.keywords


def _report(call: ast.Call, path: list[ast.AST], code: Code) -> ast.expr | None:
    """The name that holds the dict which the number is put in; the dict itself where it is returned at once."""
    above = code.around(call)[-1]
    if isinstance(above, ast.Dict) and call in above.values:
        holder = code.around(above)[-1]
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Attribute) and holder.func.attr == "update":
            statement = code.around(holder)[-1]
            return holder.func.value if isinstance(statement, ast.Expr) and len(holder.args) == 1 else None
        if isinstance(holder, ast.Tuple):
            holder = code.around(holder)[-1]
        if isinstance(holder, ast.Return):
            return above
        return _target(holder)
    entry = _target(above)
    if isinstance(entry, ast.Subscript) and isinstance(entry.slice, ast.Constant) and type(entry.slice.value) is str:
        return entry.value
    return None


def _target(statement: ast.AST) -> ast.expr | None:
    return statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None


def _is_only_returned(report: ast.expr, function: ast.FunctionDef, code: Code) -> bool:
    """Whether a function makes a dict of its own, puts things in, gives it back, and does nothing else with it."""
    if isinstance(report, ast.Dict):
        return True
    if not isinstance(report, ast.Name):
        return False
    uses = list(names_in(function, lambda one: one.id == report.id))
    made = [_made(one, code) for one in uses if is_store(one)]
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    if any(one is not None and one.arg == report.id for one in every) or not made or not all(made):
        return False
    return all(is_store(one) or _fills(one, code) or _returns(one, code) for one in uses)


def _made(name: ast.Name, code: Code) -> bool:
    """`report = {...}`, `report: dict = {}` or `report = dict()`."""
    above = code.around(name)[-1]
    value = above.value if isinstance(above, (ast.Assign, ast.AnnAssign)) else None
    plain = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict"
    return isinstance(value, ast.Dict) or (plain and isinstance(value, ast.Call) and not value.args)


def _fills(name: ast.Name, code: Code) -> bool:
    """`report["key"] = ...`, or `report.update(...)` as a statement."""
    path = code.around(name)
    above = path[-1]
    if isinstance(above, ast.Subscript):
        return isinstance(above.ctx, ast.Store) and not isinstance(path[-2], ast.AugAssign)
    called = path[-2] if isinstance(above, ast.Attribute) and above.attr == "update" else None
    return isinstance(called, ast.Call) and called.func is above and isinstance(path[-3], ast.Expr)


def _returns(name: ast.Name, code: Code) -> bool:
    """`return report`, and `return loss, report`."""
    path = code.around(name)
    return isinstance(path[-1], ast.Return) or (isinstance(path[-1], ast.Tuple) and isinstance(path[-2], ast.Return))


def _first_definition(code: Code, outermost: ast.stmt) -> int:
    """The line above which the helper stands: one place for all functions, so that several fixes write it once."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    first = next((one for one in code.tree.body if isinstance(one, kinds)), outermost)
    line: int = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", ()))])
    while line > 1 and code.source.line(line - 1).startswith("#"):
        line -= 1
    return line
