"""What stays out of the graph: a statement or a check that only eager code needs runs when nothing is compiled.

`if not torch.compiler.is_compiling():` is decided while tracing, so Dynamo never sees what stands below it. Eager
code does what it did. The compiled program no longer prints, warns, checks, or marks the tensor: unsafe, but for what
only prints or logs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, Piece, names_in
from compilelint.fixes.engine.imports import Spelled, spell, spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.plain import lines_of, test_of
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

_COMPILING = "torch.compiler.is_compiling"
_LOGGED = frozenset("critical debug error exception fatal info log warning warning_once info_once debug_once".split())
_OF_LOGGERS = frozenset({"addHandler", "removeHandler", "setLevel"})
_TEXTS = frozenset("float int len repr round str type".split())
_READ = frozenset("all any cpu detach dim item max mean min numel size sum tolist".split())
_ATOMS = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript, ast.Compare)


@rewrite("output", rank=1, rules=("CL201", "CL202", "CL203"))
def silenced(finding: Finding, code: Code) -> Iterator[Fix]:
    """A call that stands alone as a statement (`print`, `logger.info`, `warnings.warn`) is put under a guard.

    An `if` that does no more than that gets the condition in front of its own.
    Legal where the call's result is not used, and does not configure a logger. Changes: the compiled program is
    silent, and eager code does what it did. So it is safe for `print` and methods of a logger whose
    arguments have no effects, and unsafe for warnings, which a filter may turn into errors.
    """
    statement = own_statement(finding.location.span, code, ast.Expr)
    if isinstance(statement, ast.Expr) and not _configures(statement.value):
        span, title = finding.location.span, "log only outside compiled code"
        remark = _remark_around(statement, code)
        said = [statement] if remark is None else remark.body
        quiet = all(isinstance(one, ast.Expr) and only_speaks(one.value, code) for one in said)
        safety = Safety.SAFE if quiet else Safety.UNSAFE
        made = list(_asked_in_eager_mode(remark, span, code, title, safety)) if remark is not None else []
        yield from made or guarded(statement, span, code, title, safety)


@rewrite("requires-grad", rank=0, rules=("CL501",))
def detached(finding: Finding, code: Code) -> Iterator[Fix]:
    """`target.requires_grad = False` becomes `target = target.detach()`, which is traced.

    Legal where the assignment is a statement of its own, to a name that no loop over parameters gives, in a function
    that differentiates nothing itself. Changes: the caller's tensor keeps its mark; a result of an operation, for which
    eager code raises, is detached.
    """
    span = finding.location.span
    statement = own_statement(span, code, ast.Assign)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or _differentiates(code.function(span)):
        return
    target, value = statement.targets[0], statement.value
    plain = isinstance(value, ast.Constant) and value.value is False and isinstance(target, ast.Attribute)
    if not plain or not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return
    name = target.value.id
    if not _freezes(statement, code):
        yield Fix(Safety.UNSAFE, "detach it", (Edit(code.span(statement), f"{name} = {name}.detach()"),))


SILENCING = frozenset({silenced.__name__})
"""The rewrites after which a compiled program says less."""


@rewrite("requires-grad", rank=1, rules=("CL501",))
def unmarked(finding: Finding, code: Code) -> Iterator[Fix]:
    """`x.requires_grad = True` is put under a guard, with the loop over parameters that does only that.

    Legal where the assignment is a statement of its own, freezes no weight of an object, and the function
    differentiates nothing itself. Changes: compiled, no gradient for that tensor is computed, unless it needs one
    anyway.
    """
    span, title = finding.location.span, "set `requires_grad` only outside compiled code"
    statement = own_statement(span, code, ast.Assign)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and not _differentiates(code.function(span)):
        loop = _loop_of(statement, code)
        if _freezes(statement, code):
            return
        around = list(guarded(loop, span, code, title)) if loop is not None else []
        yield from around or guarded(statement, span, code, title)


def _configures(call: ast.expr) -> bool:
    """`logger.setLevel(...)`: nothing is said, and a compiled program would go on with another setting."""
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _OF_LOGGERS


def _freezes(statement: ast.Assign, code: Code) -> bool:
    """`self.weights.requires_grad = False`, or the same of each parameter: a compiled program would train it."""
    target, value = statement.targets[0], statement.value
    if not isinstance(value, ast.Constant) or value.value is not False or not isinstance(target, ast.Attribute):
        return False
    if isinstance(target.value, ast.Attribute):
        return True
    looped = {
        one.id
        for above in code.around(statement)
        if isinstance(above, ast.For)
        for one in ast.walk(above.target)
        if isinstance(one, ast.Name)
    }
    return isinstance(target.value, ast.Name) and target.value.id in looped


def _differentiates(function: ast.AST | None) -> bool:
    """Whether a function runs a backward pass or reads a gradient: without the mark that would raise, or find None."""
    if function is None:
        return False
    return any(isinstance(one, ast.Attribute) and one.attr in ("grad", "backward") for one in ast.walk(function))


def _loop_of(statement: ast.stmt, code: Code) -> ast.For | None:
    """`for p in module.parameters():` around the one statement that it runs, where nothing else reads its name."""
    above = next((one for one in reversed(code.around(statement)) if isinstance(one, ast.stmt)), None)
    if not isinstance(above, ast.For) or above.orelse or above.body != [statement]:
        return None
    function = code.function(code.span(above))
    target, call = above.target, above.iter
    plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "parameters"
    if function is None or not plain or not isinstance(target, ast.Name) or not isinstance(call, ast.Call):
        return None
    inside = set(ast.walk(above))
    elsewhere = any(one not in inside for one in names_in(function, lambda one: one.id == target.id))
    return None if elsewhere or call.args or call.keywords else above


@rewrite("requires-grad-asked", rank=1, rules=("CL501",))
def ungraded(finding: Finding, code: Code) -> Iterator[Fix]:
    """`torch.zeros_like(x, requires_grad=flag)` asks for the gradient only when nothing is compiled.

    Legal where the keyword stands in a call that makes a tensor, asks nothing of the compiler yet, and the function
    differentiates nothing itself. Changes: compiled, no gradient for that tensor is computed.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    keyword = None if call is None else next((one for one in call.keywords if one.arg == "requires_grad"), None)
    compiling = spell(code, _COMPILING, span)
    if statement is None or call is None or keyword is None or compiling is None:
        return
    if ast.unparse(call.func).endswith("requires_grad_") or "is_compiling" in ast.unparse(keyword.value):
        return  # the call would be found again
    if _differentiates(code.function(span)):
        return
    piece = code.piece(statement, code.span(keyword.value))
    if piece is None or not isinstance(piece.node, cst.BaseExpression):
        return
    guard: cst.BaseExpression = cst.UnaryOperation(cst.Not(), _call(compiling))
    if not (isinstance(keyword.value, ast.Constant) and keyword.value.value is True):
        right = piece.node if isinstance(keyword.value, _ATOMS) else _in_parentheses(piece.node)
        guard = cst.BooleanOperation(guard, cst.And(), right)
    yield Fix(
        Safety.UNSAFE,
        "set `requires_grad` of the new tensor only outside compiled code",
        (*compiling.edits, *piece.replaced(piece.node, guard)),
    )


@rewrite("mask", rank=20)
@rewrite("dynamic-shape", rank=20)
@rewrite("host-read", rank=20)
@rewrite("branch", rank=7, rules=("CL101", "CL102", "CL120"))
def unchecked(finding: Finding, code: Code) -> Iterator[Fix]:
    """`if wrong: raise ...` or `if odd: print(...)` gets a condition in front, so that eager mode alone checks.

    What its test reads or picks from a tensor is then not read either.
    Legal where the `if` has no other arm and does nothing but raise, or say something, or both. It is safe where the
    `if` only prints or logs, and asking has no effects. Changes: compiled, input that eager code refuses is computed
    with.
    """
    span = finding.location.span
    statement = check_around(span, code)
    if statement is not None:
        says = all(isinstance(one, ast.Expr) and only_speaks(one.value, code) for one in statement.body)
        safety = Safety.SAFE if says and is_asked_quietly(statement.test, code) else Safety.UNSAFE
        yield from _asked_in_eager_mode(statement, span, code, "check only outside compiled code", safety)


@rewrite("branch", rank=5, rules=("CL101", "CL105"))
def asserted(finding: Finding, code: Code) -> Iterator[Offer]:
    """An assertion that Dynamo cannot take in: split at its `and`s, or checked in eager mode only.

    `assert a and b, "text"` becomes one assertion for each condition, which Dynamo keeps in the graph. Any other
    becomes `assert torch.compiler.is_compiling() or (...)`. Legal where the message, if it is
    split, is a plain string or missing. Changes: the compiled program raises another exception, or none.
    """
    span = finding.location.span
    statement = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    if not isinstance(statement, ast.Assert):
        return
    plain = statement.msg is None or (isinstance(statement.msg, ast.Constant) and isinstance(statement.msg.value, str))
    piece = code.piece(statement, code.span(statement.test))
    if piece is None or not isinstance(piece.node, cst.BaseExpression):
        return
    if plain and isinstance(statement.test, ast.BoolOp) and isinstance(statement.test.op, ast.And):
        line = piece.statement()
        if isinstance(line, cst.SimpleStatementLine):
            yield Offer(
                Fix(Safety.UNSAFE, "one assertion for each condition", _split(piece, line, piece.node)),
                (OnlyRuns("another exception is raised"),),
            )
        return
    compiling = spell(code, _COMPILING, span)
    if compiling is None or (plain and not isinstance(statement.test, ast.BoolOp)):
        return
    right = piece.node if isinstance(statement.test, (ast.Compare, ast.Call)) else _in_parentheses(piece.node)
    joined = cst.BooleanOperation(_call(compiling), cst.Or(), right)
    yield Offer(
        Fix(
            Safety.UNSAFE,
            "assert only outside compiled code",
            (*compiling.edits, *piece.replaced(piece.node, joined)),
        ),
        (OnlyRuns("another exception is raised"),),
    )


# ---------------------------------------------------------------------- parts


def own_statement(span: Span, code: Code, kind: type[ast.stmt]) -> ast.stmt | None:
    """The innermost statement around a span, if it is of that kind and begins where the span does or holds it all."""
    found = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    if not isinstance(found, kind):
        return None
    if isinstance(found, ast.Expr) and code.span(found)[:2] != span[:2]:
        return None  # `y.append(print(x))`: what breaks is only a part of what the statement does
    return found


def only_speaks(call: ast.expr, code: Code) -> bool:
    """Whether a call prints or logs, and neither it nor its arguments do anything else."""
    if not isinstance(call, ast.Call):
        return False
    printed = isinstance(call.func, ast.Name) and call.func.id == "print"
    logged = isinstance(call.func, ast.Attribute) and call.func.attr in _LOGGED
    if not (printed or logged) or (spelled_target(call.func, code) or "").startswith("warnings."):
        return False
    values = [*call.args, *(one.value for one in call.keywords)]
    return all(is_quiet(one, code) for one in values)


def is_quiet(value: ast.expr, code: Code) -> bool:
    """Whether making a text of a value does nothing else, so that it may stay undone."""
    if isinstance(value, ast.JoinedStr):
        return all(is_quiet(one.value, code) for one in value.values if isinstance(one, ast.FormattedValue))
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        return is_quiet(value.left, code) and is_quiet(value.right, code)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _TEXTS:
        return all(is_quiet(one, code) for one in value.args) and not value.keywords
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _READ:
        return not value.args and not value.keywords and is_quiet(value.func.value, code)
    return not isinstance(value, ast.Starred) and is_pure(value, code)


def guarded(statement: ast.stmt, span: Span, code: Code, title: str, safety: Safety = Safety.UNSAFE) -> Iterator[Fix]:
    """The whole statement, comments above it included, under `if not torch.compiler.is_compiling():`."""
    compiling = spell(code, _COMPILING, span)
    if compiling is None:
        return
    own = lines_of(statement, code)
    if own is not None and own.plain:
        head = f"{own.indent}if not {compiling.text}():"
        yield Fix(safety, title, (*compiling.edits, *own.edits(head, *own.below(code.indent))))
        return
    piece = code.piece(statement, code.span(statement))
    if piece is None:
        return
    line = piece.statement()
    if not isinstance(line, (cst.SimpleStatementLine, cst.For)):
        return
    test = cst.UnaryOperation(cst.Not(), _call(compiling))
    under = cst.If(
        test,
        cst.IndentedBlock([line.with_changes(leading_lines=())], indent=code.indent),
        leading_lines=line.leading_lines,
    )
    yield Fix(safety, title, (*compiling.edits, *piece.replaced(line, under)))


def _asked_in_eager_mode(
    statement: ast.If, span: Span, code: Code, title: str, safety: Safety = Safety.UNSAFE
) -> Iterator[Fix]:
    """The `if` with `not torch.compiler.is_compiling() and` before its test."""
    compiling = spell(code, _COMPILING, span)
    condition = statement.test
    if compiling is None:
        return
    loose = isinstance(condition, (ast.IfExp, ast.Lambda, ast.NamedExpr)) or _is_or(condition)
    own = lines_of(statement, code)
    asked = None if own is None else test_of(statement, own)
    if own is not None and asked is not None:
        test, behind = asked
        head = f"{own.indent}if not {compiling.text}() and {f'({test})' if loose else test}:{behind}"
        heads = [head]
        if len(head) > code.width and not behind.strip():
            heads = _over_lines(own.indent, [f"not {compiling.text}()", *_parts(condition, test, loose, code)], code)
        yield Fix(safety, title, (*compiling.edits, *own.edits(*heads, *own.lines[1:])))
        return
    piece = code.piece(statement, code.span(condition))
    if piece is None or not isinstance(piece.node, cst.BaseExpression):
        return
    line, whole = code.source.line(statement.lineno), code.text(condition)
    if whole is not None and len(line) + len(f"not {compiling.text}() and ") > code.width:
        parts = [f"not {compiling.text}()", *_parts(condition, whole, loose, code)]
        written = "\n".join(_over_lines("", parts, code)).removeprefix("if ").removesuffix(":")  # LibCST indents it
        yield Fix(safety, title, (*compiling.edits, *piece.replaced(piece.node, cst.parse_expression(written))))
        return
    right = piece.node
    if loose:
        right = _in_parentheses(right)
    joined = cst.BooleanOperation(cst.UnaryOperation(cst.Not(), _call(compiling)), cst.And(), right)
    yield Fix(safety, title, (*compiling.edits, *piece.replaced(piece.node, joined)))


def _parts(condition: ast.expr, test: str, loose: bool, code: Code) -> list[str]:
    """What `and` joins in a test, as it is written; the test as a whole where a part cannot be cut out."""
    if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And):
        parts = [code.text(one) for one in condition.values]
        bare = all(not isinstance(one, (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)) for one in condition.values)
        written = [one for one in parts if one is not None]
        if bare and " and ".join(written) == test:
            return written
    return [f"({test})" if loose else test]


def _over_lines(indent: str, parts: list[str], code: Code) -> list[str]:
    """`if` with a condition on each line, as formatters write it."""
    first, *others = parts
    inner = indent + code.indent
    return [f"{indent}if (", f"{inner}{first}", *(f"{inner}and {one}" for one in others), f"{indent}):"]


def check_around(span: Span, code: Code) -> ast.If | None:
    """The `if` around a span in its test, where it only raises or only speaks."""
    for node in reversed(code.path(span)):
        if isinstance(node, ast.If):
            inside = code.span(node.test)
            in_test = inside[:2] <= span[:2] and span[2:] <= inside[2:]
            does = _only_raises(node.body) or all(map(_says, node.body))
            binds = any(isinstance(one, ast.NamedExpr) for one in ast.walk(node.test))  # for what stands behind
            return node if in_test and not node.orelse and does and not binds else None
        if isinstance(node, ast.stmt):
            return None
    return None


def _remark_around(statement: ast.stmt, code: Code) -> ast.If | None:
    """The `if` that a statement stands in, where it only speaks, and may stay unasked."""
    above = next((one for one in reversed(code.around(statement)) if isinstance(one, ast.stmt)), None)
    if not isinstance(above, ast.If) or above.orelse or statement not in above.body:
        return None
    return above if all(map(_says, above.body)) and is_asked_quietly(above.test, code) else None


def _only_raises(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Raise) and all(isinstance(one, ast.Expr) for one in body[:-1])


def _says(statement: ast.stmt) -> bool:
    """`print(...)`, `logger.info(...)` or `warnings.warn(...)` as a statement."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    func = call.func if isinstance(call, ast.Call) else None
    named = isinstance(func, ast.Name) and func.id in ("print", "warn")
    return named or (isinstance(func, ast.Attribute) and func.attr in {*_LOGGED, "warn"})


def is_asked_quietly(test: ast.expr, code: Code) -> bool:
    """Whether a test, with its `and`, `or` and `not`, does nothing but ask."""
    if isinstance(test, ast.BoolOp):
        return all(is_asked_quietly(one, code) for one in test.values)
    if isinstance(test, ast.UnaryOp):
        return is_asked_quietly(test.operand, code)
    return is_pure(test, code)


def _split(piece: Piece, line: cst.SimpleStatementLine, test: cst.BaseExpression) -> tuple[Edit, ...]:
    """One assertion a condition; the first keeps the comments above, the last those behind."""
    only = line.body[0]
    assert isinstance(only, cst.Assert), "the piece holds the assertion alone"
    conditions = list(_conditions(test))
    lines = []
    for number, condition in enumerate(conditions):
        made = only.with_changes(test=_lifted(condition))
        lines.append(
            line.with_changes(
                body=[made],
                leading_lines=line.leading_lines if number == 0 else (),
                trailing_whitespace=(
                    line.trailing_whitespace if number == len(conditions) - 1 else cst.TrailingWhitespace()
                ),
            )
        )
    return piece.replaced(line, cst.FlattenSentinel(lines))


def _conditions(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from _conditions(test.left)
        yield test.right
    else:
        yield test


def _lifted(condition: cst.BaseExpression) -> cst.BaseExpression:
    """A condition outside the parentheses that let it run over several lines: it gets its own where it needs them."""
    if not condition.lpar and "\n" in cst.Module([]).code_for_node(condition):
        return _in_parentheses(condition)
    return condition


def _is_or(node: ast.expr) -> bool:
    return isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    if node.lpar:
        return node
    changed = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    assert isinstance(changed, cst.BaseExpression), "parentheses do not change the kind"
    return changed


def _call(spelled: Spelled) -> cst.Call:
    made = cst.parse_expression(f"{spelled.text}()")
    assert isinstance(made, cst.Call), "a call was parsed"
    return made
