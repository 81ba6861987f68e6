"""What only the host does or answers for its own sake, not for the result: left to eager mode, or not asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.compiling_guards import guarded, own_statement
from compilelint.model import Edit, Finding, Fix, Safety

_TESTED = (ast.If, ast.While, ast.Assert, ast.IfExp, ast.Compare, ast.BoolOp, ast.comprehension)
_NAMES = (ast.Name, ast.Attribute)
_ALONE = (ast.Assign, ast.AnnAssign, ast.Return, ast.keyword, ast.Call)


@rewrite("host-effect", rank=1, rules=("CL205", "CL207"))
def left_to_eager_mode(finding: Finding, code: Code) -> Iterator[Fix]:
    """`gc.collect()` or `sys.stderr.write(text)`, as a statement, is put under a guard.

    Legal where the call's result is not used, and nothing that is computed depends on the call. Changes: the compiled
    program does not do it, and eager code does what it did.
    """
    span = finding.location.span
    statement = own_statement(span, code, ast.Expr)
    if statement is not None:
        yield from guarded(statement, span, code, "do it only outside compiled code")


@rewrite("clock", rank=1, rules=("CL204",))
def stopped_clock(finding: Finding, code: Code) -> Iterator[Fix]:
    """`time.perf_counter()` becomes `0.0 if torch.compiler.is_compiling() else time.perf_counter()`.

    Legal where no test asks for the time, nor for the name or attribute that holds it: a loop that ends by the clock
    would never end. Changes: what the compiled program measures is 0, so time the call from outside.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call) and code.span(one) == span), None)
    compiling, text = spell(code, "torch.compiler.is_compiling", span), None if call is None else code.text(call)
    if call is None or compiling is None or text is None or call.args or call.keywords or _decides(path, code):
        return
    zero = "0" if text.endswith(("_ns()",)) else "0.0"
    made = f"{zero} if {compiling.text}() else {text}"
    alone = isinstance(path[path.index(call) - 1], _ALONE)
    edit = Edit(span, made if alone else f"({made})")
    yield Fix(Safety.UNSAFE, "read the clock only outside compiled code", (*compiling.edits, edit))


def _decides(path: list[ast.AST], code: Code) -> bool:
    """Whether a test asks for what stands at the end of a path, or for what is made of it."""
    if any(isinstance(one, _TESTED) for one in path if not isinstance(one, ast.stmt)):
        return True
    statement = next(one for one in reversed(path) if isinstance(one, ast.stmt))
    if isinstance(statement, ast.Expr):
        return False
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return True  # what is returned or tested may be asked for anywhere
    held = set(_targets(statement))
    assignments = [one for one in ast.walk(code.tree) if isinstance(one, (ast.Assign, ast.AnnAssign, ast.AugAssign))]
    for _ in range(len(assignments)):
        more = {name for one in assignments if held & _read(one.value) for name in _targets(one)} - held
        if not more:
            break
        held |= more
    return any(held & _read(test) for test in _tests(code.tree))


def _targets(statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> Iterator[str]:
    """The names and attributes that an assignment writes to, or into."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return (name for target in targets for name in _read(target))


def _read(node: ast.AST | None) -> set[str]:
    """The names and attributes below a node; an attribute with a dot, so that it is no name."""
    below = () if node is None else ast.walk(node)
    found = {one.id if isinstance(one, ast.Name) else f".{one.attr}" for one in below if isinstance(one, _NAMES)}
    return found - {"self"}


def _tests(tree: ast.AST) -> Iterator[ast.AST]:
    """The tests of the statements and expressions below a node."""
    for one in ast.walk(tree):
        if isinstance(one, (ast.If, ast.While, ast.Assert, ast.IfExp)):
            yield one.test
        elif isinstance(one, (ast.Compare, ast.BoolOp)):
            yield one
