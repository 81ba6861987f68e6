"""A branch on a tensor becomes a choice between tensors: `torch.where(condition, a, b)`.

Both sides are computed, so both must be free of effects (`purity`), and the condition must be one element of dtype
bool, which the engine knows. All of these are unsafe: the side that eager code does not take is computed as well, and
may raise or be costly; a Python number in an arm becomes a tensor; where the arms differ in dtype or shape, the result
has the wider one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.beliefs import Beliefs
from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.comparisons import joined
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.laws import Alike, Assumption, IsTensor, Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.plain import Lines, lines_of, test_of, value_of
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.engine.safe_operands import with_safe_divisors, with_safe_indices
from compilelint.model import Edit, Finding, Fix, Safety, Span

_TITLE = "compute both sides and choose with `torch.where`"
_PICKED = f"{_TITLE}, indexing with a tensor of one element"
_FEW = 6  # a longer arm is a side to be skipped, not a value to be chosen


@rewrite("branch", rank=1, rules=("CL101",))
def chosen_expression(finding: Finding, code: Code) -> Iterator[Offer]:
    """`a if condition else b` becomes `torch.where(condition, a, b)`.

    Legal where the condition is a bool tensor, and both sides are tensor math or numbers, neither None nor text.
    Changes: both sides are computed, and a number in a side becomes a tensor.
    """
    yield from _chosen_expression(finding, code, guarded=False)


def _chosen_expression(finding: Finding, code: Code, guarded: bool) -> Iterator[Offer]:
    """The choice between two sides; `guarded` asks for those alone whose test may keep an index inside a tensor."""
    span = finding.location.span
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.IfExp)), None)
    if node is None or not is_the_test(node.test, span, finding, code):
        return
    if not (is_pure(node.body, code) and is_pure(node.orelse, code) and can_be_chosen(node.body, node.orelse)):
        return
    if guards_an_index(node.test, node.body, node.orelse) != guarded:
        return
    where = spell(code, "torch.where", span)
    statement = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    piece = None if statement is None else code.piece(statement, code.span(node))
    if where is None or piece is None or not isinstance(piece.node, cst.IfExp):
        return
    test = condition_of(code, finding, node.test, piece.node.test)
    if test is None:
        return
    plain = [with_safe_divisors(one, node.test, test, where.text) for one in (piece.node.body, piece.node.orelse)]
    beliefs = Beliefs(finding, code)
    assumes = (IsTensor(what_is_asked(node.test)), Alike(node.body, node.orelse, node.test, beliefs))
    found: dict[str, tuple[Edit, ...]] = {}
    for title in (_PICKED, _TITLE) if guarded else (_TITLE,):
        sides = [
            with_safe_indices(one, node.test, test, where.text, first, title is _PICKED) if guarded else one
            for one, first in zip(plain, (True, False), strict=True)
        ]
        made = cst.Call(cst.parse_expression(where.text), [cst.Arg(test), *map(cst.Arg, sides)])
        found[title] = (*where.edits, *piece.replaced(piece.node, made))
    yield from _offers(found, assumes)


def _offers(found: dict[str, tuple[Edit, ...]], assumes: tuple[Assumption, ...]) -> Iterator[Offer]:
    """The ways to choose, the one that needs no more reads first; one where both come to the same."""
    for title, edits in found.items():
        if title == _TITLE or edits != found[_TITLE]:
            yield Offer(Fix(Safety.UNSAFE, title, edits), assumes)


@rewrite("branch", rank=2, rules=("CL101",))
def chosen_assignments(finding: Finding, code: Code) -> Iterator[Offer]:
    """An `if` whose arms only assign: the arms run both, and each name takes its value by `torch.where`.

    Legal where the condition is a bool tensor, each arm consists of a few assignments of tensor math to plain names,
    and every name that is used later had a value before, or gets one in both arms. Changes: both arms run, and a number
    in an arm becomes a tensor.
    """
    yield from _chosen_assignments(finding, code, guarded=False)


@rewrite("branch", rank=2, proven=True, rules=("CL101",))
def chosen_past_a_guard(finding: Finding, code: Code) -> Iterator[Offer]:
    """The same where the test reads what a side takes as an index: `a = table[t] if last == t - 1 else b`.

    Such a test may be what keeps the index inside its tensor, so the index is 0 where its side is not taken; it has one
    dimension, which the result loses again, since a 0-d tensor would be read by Python. Legal where the choice would be
    without that. Changes: both sides are computed; what is indexed in vain must not be empty.
    """
    yield from _chosen_expression(finding, code, guarded=True)
    yield from _chosen_assignments(finding, code, guarded=True)


def _chosen_assignments(finding: Finding, code: Code, guarded: bool) -> Iterator[Offer]:
    """The choice between two arms; `guarded` asks for those alone whose test may keep an index inside a tensor."""
    span = finding.location.span
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    if not isinstance(node, ast.If) or not is_the_test(node.test, span, finding, code):
        return
    where = spell(code, "torch.where", span)
    function = code.function(span)
    arms = [_assigned(arm, code) for arm in (node.body, node.orelse)]
    if where is None or function is None or arms[0] is None or arms[1] is None:
        return
    kept = _used_elsewhere(node, function, {*arms[0], *arms[1]}, code)
    if guards_an_index(node.test, *node.body, *node.orelse) != guarded:
        return
    if not kept or any(not _had_value(name, arms[0], arms[1], node, function) for name in kept):
        return
    if not _simple(node, kept):
        return
    assumes = (IsTensor(what_is_asked(node.test)), *_sides_alike(node, Beliefs(finding, code)))
    edits = None if guarded else _plainly_chosen(node, finding, code, where.text, kept)
    if edits is not None:
        yield Offer(Fix(Safety.UNSAFE, _TITLE, (*where.edits, *edits)), assumes)
        return
    piece = code.piece(node, code.span(node))
    statement = None if piece is None else piece.statement()
    if piece is None or not isinstance(statement, cst.If):
        return
    test = condition_of(code, finding, node.test, statement.test)
    if test is None:
        return
    found: dict[str, tuple[Edit, ...]] = {}
    for title in (_PICKED, _TITLE) if guarded else (_TITLE,):
        safe = _with_safe_arms(statement, node.test, test, where.text, title is _PICKED) if guarded else statement
        lines = _chosen_lines(safe, test, where.text, kept)
        if not lines:
            return
        found[title] = (*where.edits, *piece.replaced(statement, cst.FlattenSentinel(lines)))
    yield from _offers(found, assumes)


def _with_safe_arms(
    statement: cst.If, tested: ast.expr, test: cst.BaseExpression, where: str, one_element: bool
) -> cst.If:
    """An `if` whose arms index nothing outside its tensor when the other arm is taken."""
    body = with_safe_indices(statement.body, tested, test, where, True, one_element)
    if not isinstance(statement.orelse, cst.Else):
        return statement.with_changes(body=body)
    other = with_safe_indices(statement.orelse.body, tested, test, where, False, one_element)
    return statement.with_changes(body=body, orelse=statement.orelse.with_changes(body=other))


# ---------------------------------------------------------------- the condition


def is_the_test(test: ast.expr, span: Span, finding: Finding, code: Code) -> bool:
    """Whether the finding stands on the whole test (or what a `not` negates), a bool tensor on every path."""
    known = finding.rewrite
    if known is None or known.fact("dtype") != "bool" or not known.fact("always"):
        return False
    operand = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    return span in (code.span(test), code.span(operand)) and is_pure(what_is_asked(test), code)


def without_bool(test: ast.expr) -> ast.expr:
    """`x` of `bool(x)`, which a test asks anyway."""
    plain = isinstance(test, ast.Call) and len(test.args) == 1 and not test.keywords
    named = plain and isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "bool"
    return test.args[0] if named and isinstance(test, ast.Call) else test


def what_is_asked(test: ast.expr) -> ast.expr:
    """`x` of the tests `x`, `not x`, `bool(x)` and `not bool(x)`."""
    return without_bool(test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test)


def _without_bool(node: cst.BaseExpression) -> cst.BaseExpression:
    """The same for LibCST's nodes."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or len(node.args) != 1:
        return node
    return node.args[0].value if node.func.value == "bool" else node


def condition_of(code: Code, finding: Finding, test: ast.expr, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The condition as a tensor expression: `not x` becomes `torch.logical_not(x)`; comments inside forbid it.

    A tensor that was good as a test has one element; where the engine does not know that it has no dimension either,
    `.reshape(())` sees to it, so that the sides keep their shapes.
    """
    if "#" in cst.Module([]).code_for_node(node):
        return None
    flat = finding.rewrite is not None and finding.rewrite.fact("rank") == 0
    tensor = _made_a_tensor(code, finding, test)
    if not isinstance(test, ast.UnaryOp):
        node = _without_bool(node)
        whole = joined(node)  # what is known of the rank is known of the first link of a chain
        sure = whole if whole is None or not tensor else _called(tensor, whole)
        return sure if flat and whole is node else None if sure is None else _flattened(sure)
    no = spell(code, "torch.logical_not", finding.location.span)
    if no is None or not isinstance(node, cst.UnaryOperation):
        return None
    inner = node.expression
    bare = inner.with_changes(lpar=inner.lpar[1:], rpar=inner.rpar[:-1]) if len(inner.lpar) == 1 else inner
    assert isinstance(bare, cst.BaseExpression), "parentheses do not change the kind"
    bare = _without_bool(bare)
    whole = joined(bare)
    if whole is None:
        return None
    made = _called(no.text, _called(tensor, whole) if tensor else whole)
    return made if flat and whole is bare else _flattened(made)


def _made_a_tensor(code: Code, finding: Finding, test: ast.expr) -> str:
    """How to make a tensor of a test that eager code may answer with a Python bool; empty where it gives a tensor."""
    tensor = spell(code, "torch.as_tensor", finding.location.span)
    if tensor is None or tensor.edits or not IsTensor(what_is_asked(test)).unmet(code):
        return ""
    return tensor.text


def _called(function: str, value: cst.BaseExpression) -> cst.Call:
    """`function(value)`."""
    bare = value.with_changes(lpar=value.lpar[1:], rpar=value.rpar[:-1]) if len(value.lpar) == 1 else value
    assert isinstance(bare, cst.BaseExpression), "parentheses do not change the kind"
    return cst.Call(cst.parse_expression(function), [cst.Arg(bare)])


def _plain_condition(code: Code, finding: Finding, test: ast.expr, lines: Lines) -> str | None:
    """`condition_of` as text, for a test that is no chain of comparisons; None where LibCST has to look."""
    asked = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    text, written = lines.text(asked), lines.text(test)
    if text is None or written is None or (isinstance(asked, ast.Compare) and len(asked.ops) > 1):
        return None
    if without_bool(asked) is not asked:
        return None
    flat = finding.rewrite is not None and finding.rewrite.fact("rank") == 0
    if _made_a_tensor(code, finding, test):
        return None
    if asked is not test:
        no = spell(code, "torch.logical_not", finding.location.span)
        if no is None or written not in (f"not {text}", f"not ({text})"):
            return None
        text, atom = f"{no.text}({text})", True
    elif isinstance(test, ast.UnaryOp):
        return None
    else:
        atom = isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return text if flat else f"{text if atom else f'({text})'}.reshape(())"


def _flattened(node: cst.BaseExpression) -> cst.BaseExpression:
    """`(node).reshape(())`."""
    atom = isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or node.lpar
    inner = node if atom else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.Call(cst.Attribute(inner, cst.Name("reshape")), [cst.Arg(cst.Tuple([]))])


def can_be_chosen(*sides: ast.expr) -> bool:
    """`torch.where` takes tensors and numbers; two numbers give a tensor where a number was wanted as such."""
    for side in sides:
        if isinstance(side, ast.Constant) and (
            isinstance(side.value, bool) or not isinstance(side.value, (int, float))
        ):
            return False
        if isinstance(side, (ast.Tuple, ast.List, ast.JoinedStr)):
            return False
    return not all(isinstance(side, ast.Constant) for side in sides)


def guards_an_index(test: ast.expr, *sides: ast.AST) -> bool:
    """Whether the test looks as if it kept an index inside a tensor: `x[i + 1] if i < n else y`.

    Computed in vain, such an index may raise.
    """
    tested = {one.id for one in ast.walk(test) if isinstance(one, ast.Name)}
    return any(
        isinstance(one, ast.Name) and one.id in tested
        for side in sides
        for subscript in ast.walk(side)
        if isinstance(subscript, ast.Subscript)
        for one in ast.walk(subscript.slice)
    )


# ---------------------------------------------------------------------- arms


def _sides_alike(node: ast.If, beliefs: Beliefs) -> Iterator[Assumption]:
    """What each name may be: both values, or its value and what it was before."""
    arms = [
        {_stored_name(one): one.value for one in arm if isinstance(one, ast.Assign)} for arm in (node.body, node.orelse)
    ]
    for name in dict.fromkeys([*arms[0], *arms[1]]):
        values = [arm[name] for arm in arms if name in arm]
        before = next((one for one in names_in(node, lambda one: not is_store(one)) if one.id == name), None)
        if len(values) == 2:
            yield Alike(values[0], values[1], node.test, beliefs)
        elif before is not None:
            yield Alike(values[0], before, node.test, beliefs)
        else:
            yield OnlyRuns(f"what `{name}` was before may have another shape or dtype", ("dtype",))


def _stored_name(statement: ast.Assign) -> str:
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else ""


def _assigned(arm: list[ast.stmt], code: Code) -> list[str] | None:
    """The names an arm assigns, in order; None where it does anything but assign tensor math to names."""
    names: list[str] = []
    if len(arm) > _FEW:
        return None
    for statement in arm:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        target = statement.targets[0]
        if not isinstance(target, ast.Name) or not is_pure(statement.value, code) or target.id in names:
            return None
        if not can_be_chosen(statement.value, ast.Name("other")):
            return None
        names.append(target.id)
    return names


def _used_elsewhere(node: ast.If, function: ast.AST, names: set[str], code: Code) -> list[str]:
    """Of the names those that are read outside the `if`, in the order of their first assignment in it."""
    inside = {id(one) for one in ast.walk(node)}
    read = {one.id for one in names_in(function, lambda name: not is_store(name)) if id(one) not in inside}
    ordered = dict.fromkeys(one.id for one in names_in(node, is_store))
    return [name for name in ordered if name in names and name in read]


def _had_value(name: str, first: list[str], second: list[str], node: ast.If, function: ast.AST) -> bool:
    """Whether a name has a value on both ways: assigned in both arms, or by a plain statement or parameter before.

    A value before must be sure: a parameter, or an assignment in a block that also holds the `if`.
    """
    return (name in first and name in second) or had_value_before(name, node, function)


def had_value_before(name: str, node: ast.If, function: ast.AST) -> bool:
    """Whether a name is a parameter, or assigned before an `if` in a block that also holds it."""
    if any(isinstance(one, ast.arg) and one.arg == name for one in ast.walk(function)):
        return True
    return any(
        isinstance(one, ast.Assign)
        and one.lineno < node.lineno
        and any(isinstance(target, ast.Name) and target.id == name for target in one.targets)
        for block in _blocks_around(node, function)
        for one in block
    )


def _blocks_around(node: ast.stmt, function: ast.AST) -> Iterator[list[ast.stmt]]:
    for one in ast.walk(function):
        for block in (getattr(one, "body", None), getattr(one, "orelse", None), getattr(one, "finalbody", None)):
            if isinstance(block, list) and any(node is inner for outer in block for inner in ast.walk(outer)):
                yield block


def _simple(node: ast.If, kept: list[str]) -> bool:
    """Whether the arms can follow each other: the second must not read what the first has just changed.

    Where both arms assign the same names in the same order, and each is chosen, it may: what a statement of an arm
    reads is either chosen already, and then what this arm gave it if the arm is taken, or not yet changed.
    """
    stored = {one.id for one in names_in(node, is_store)}
    in_test = {one.id for one in names_in(node.test, lambda name: not is_store(name))} & stored
    if in_test and (len(kept) > 1 or in_test - set(kept)):
        return False  # the test is written once for each name, and would see what the first choice made
    changed = {one.id for statement in node.body for one in names_in(statement, is_store)}
    read = {one.id for statement in node.orelse for one in names_in(statement, lambda name: not is_store(name))}
    orders = [[_stored_name(one) for one in arm if isinstance(one, ast.Assign)] for arm in (node.body, node.orelse)]
    at_once = orders[0] == orders[1] and set(orders[0]) <= set(kept)
    return not node.orelse or at_once or not ((changed | set(kept)) & read)


def _plainly_chosen(node: ast.If, finding: Finding, code: Code, where: str, kept: list[str]) -> tuple[Edit, ...] | None:
    """What `_chosen_lines` comes to as text, for an `if` that is written plainly; None where LibCST has to look."""
    own = lines_of(node, code)
    if own is None or not own.plain:
        return None
    arms = [node.body, node.orelse]
    begins = [node.lineno + 1, node.lineno + len(node.body) + 2]
    heads = 2 if node.orelse else 1
    if len(own.lines) != heads + len(node.body) + len(node.orelse):
        return None  # a statement of several lines, or two on one
    if node.orelse and own.lines[1 + len(node.body)] != f"{own.indent}else:":
        return None
    found: list[dict[str, tuple[str, str]]] = []
    for arm, begin in zip(arms, begins, strict=True):
        values = [value_of(one, own) if one.lineno == begin + i else None for i, one in enumerate(arm)]
        if any(value is None for value in values):
            return None
        found.append({value[0]: value[1:] for value in values if value is not None})
    asked, test = test_of(node, own), _plain_condition(code, finding, node.test, own)
    if asked is None or asked[1] or test is None:
        return None
    first, second = found
    lines = [head + value for name, (head, value) in second.items() if name not in kept]
    for name, (head, value) in first.items():
        other = second.pop(name, (head, name))[1] if name in kept else ""
        lines.append(f"{head}{where}({test}, {value}, {other})" if name in kept else head + value)
    lines += [f"{head}{where}({test}, {name}, {value})" for name, (head, value) in second.items() if name in kept]
    return own.edits(*[own.indent + line for line in lines])


def _chosen_lines(
    statement: cst.If, test: cst.BaseExpression, where: str, kept: list[str]
) -> list[cst.SimpleStatementLine]:
    """The assignments of the arms in order; a name that lives on is chosen in its last assignment."""
    first = _simple_statements(statement.body)
    second = [] if statement.orelse is None else _simple_statements(statement.orelse.body)
    if first is None or second is None or isinstance(statement.orelse, cst.If):
        return []
    others = {_name(line): line for line in second}
    made = [line for line in second if _name(line) not in kept]
    for line in first:
        name = _name(line)
        if name not in kept:
            made.append(line)
            continue
        other = others.pop(name, None)
        made.append(_choice(line, test, _value(line), cst.Name(name) if other is None else _value(other), where))
    for name, line in others.items():
        if name in kept:
            made.append(_choice(line, test, cst.Name(name), _value(line), where))
    head = made[0].with_changes(leading_lines=(*statement.leading_lines, *made[0].leading_lines))
    return [head, *made[1:]]


def _simple_statements(block: cst.BaseSuite) -> list[cst.SimpleStatementLine] | None:
    if not isinstance(block, cst.IndentedBlock) or block.footer or block.header.comment is not None:
        return None
    found = [one for one in block.body if isinstance(one, cst.SimpleStatementLine) and len(one.body) == 1]
    return found if len(found) == len(block.body) else None


def _assignment(line: cst.SimpleStatementLine) -> cst.Assign:
    only = line.body[0]
    assert isinstance(only, cst.Assign), "the arms hold assignments only"
    return only


def _name(line: cst.SimpleStatementLine) -> str:
    target = _assignment(line).targets[0].target
    assert isinstance(target, cst.Name), "the arms assign to names only"
    return target.value


def _value(line: cst.SimpleStatementLine) -> cst.BaseExpression:
    return _assignment(line).value


def _choice(
    line: cst.SimpleStatementLine, test: cst.BaseExpression, yes: cst.BaseExpression, no: cst.BaseExpression, where: str
) -> cst.SimpleStatementLine:
    """The line with `torch.where(test, yes, no)` as the value."""
    made = cst.Call(cst.parse_expression(where), [cst.Arg(test), cst.Arg(yes), cst.Arg(no)])
    changed = line.with_deep_changes(_assignment(line), value=made)
    assert isinstance(changed, cst.SimpleStatementLine), "a changed value leaves the line a line"
    return changed
