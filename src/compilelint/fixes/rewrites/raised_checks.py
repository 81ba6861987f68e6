"""A check that raises for what a tensor holds becomes, while compiling, an operator that raises it. Only with proof.

`if not (boxes >= 0).all(): raise ValueError(...)` cannot be traced, and an assertion in the graph raises RuntimeError
in its place. An operator with an effect is kept in the graph and in its order, and what its Python code raises reaches
the caller as it is. Eager code keeps the check as it stands.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.imports import bound, spell
from compilelint.fixes.engine.known_tensors import is_tensor
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.plain import lines_of
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.compiling_guards import check_around, is_asked_quietly, is_quiet
from compilelint.fixes.rewrites.custom_operators import namespace
from compilelint.fixes.rewrites.host_functions import kind_of
from compilelint.fixes.rewrites.rest_as_operator import uses_of_self
from compilelint.model import Edit, Finding, Fix, Safety, Span

_COMPILING = "torch.compiler.is_compiling"
# Methods that Python numbers do not have; arrays have some of them, and the proof sees that.
_OF_TENSORS = frozenset(
    "abs all amax amin any detach eq float ge gt isfinite isinf isnan item le long lt max mean min ne norm nonzero "
    "prod std sum tolist var".split()
)
_SIZES = frozenset({"size", "numel", "dim"})


@rewrite("branch", rank=3, proven=True, rules=("CL101",))
@rewrite("mask", rank=7, proven=True)
@rewrite("dynamic-shape", rank=9, proven=True)
@rewrite("host-read", rank=7, proven=True)
def raised_by_an_operator(finding: Finding, code: Code) -> Iterator[Offer]:
    """`if wrong(x): raise ...` is asked by a custom operator while compiling, and by eager code as it was.

    Legal where the `if` has no other arm and does nothing but raise, asking and making the message have no effects,
    and all that it reads are tensors, sizes, annotated numbers, numbers of `self`, and what the file defines at its
    top. Changes: nothing in eager code; compiled, the check ends no graph and raises what eager code raises, with a
    traceback through the operator, when the graph comes to it.
    """
    span = finding.location.span
    check = check_around(span, code)
    function = code.function(span)
    torch, compiling = spell(code, "torch", span), spell(code, _COMPILING, span)
    if check is None or function is None or torch is None or compiling is None or torch.edits or compiling.edits:
        return
    if torch.text != "torch" or len(check.body) != 1 or not _raises_quietly(check.body[0], code):
        return
    own, outermost = lines_of(check, code), code.path(span)[1]
    kinds = kinds_of(check, check.test, function, code)
    if own is None or kinds is None or not is_asked_quietly(check.test, code) or not isinstance(outermost, ast.stmt):
        return
    if not any(kind.startswith("Tensor") for kind, _ in kinds.values()):
        return
    name = free_name(f"_check_{function.name.strip('_')}", code)
    passed = ", ".join(text for _, text in kinds.values())
    call = f"{own.indent}if {compiling.text}():\n{own.indent}{code.indent}{name}({passed})\n{own.indent}elif"
    end = (outermost.end_lineno or outermost.lineno) + 1
    edits = (
        Edit(Span(check.lineno, 1, check.lineno, len(own.indent) + len("if") + 1), call),
        Edit(Span(end, 1, end, 1), operator_of(check, name, kinds, code)),
    )
    yield Offer(
        Fix(Safety.UNSAFE, "let an operator raise while compiling", edits),
        (OnlyRuns("what the check reads may be no tensor"),),
    )


# ---------------------------------------------------------------------- parts


def _raises_quietly(statement: ast.stmt, code: Code) -> bool:
    """`raise Error(...)` of a plain name, whose arguments only make texts."""
    made = statement.exc if isinstance(statement, ast.Raise) and statement.cause is None else None
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name):
        return isinstance(made, ast.Name)
    values = [*made.args, *(one.value for one in made.keywords)]
    return all(is_quiet(part, code) for one in values for part in _parts(one))


def _parts(text: ast.expr) -> Iterator[ast.expr]:
    """The parts of texts that stand side by side or are added."""
    if isinstance(text, ast.BinOp) and isinstance(text.op, ast.Add):
        yield from _parts(text.left)
        yield from _parts(text.right)
    else:
        yield text


def kinds_of(check: ast.stmt, test: ast.AST, function: ast.AST, code: Code) -> dict[str, tuple[str, str]] | None:
    """Each name that a statement takes from its function: its kind in a schema, and what is passed; None without one.

    What `test`, a part of it, does with a name says whether that is a tensor.
    """
    if any(isinstance(one, (ast.Lambda, ast.comprehension, ast.NamedExpr, ast.Await)) for one in ast.walk(check)):
        return None
    top = _names_at_the_top(code)
    found: dict[str, tuple[str, str]] = {}
    used = uses_of_self(list(ast.walk(check)), None)
    if used is None:
        return None
    asked = [one for one in ast.walk(test) if isinstance(one, ast.Compare) and _asks_for_none(one)]
    optional = {ast.unparse(one.left) for one in asked}
    local = _bound_in(function)
    for name in dict.fromkeys(one.id for one in ast.walk(check) if isinstance(one, ast.Name) and one.id != "self"):
        if name not in local:
            if name not in top:
                return None
            continue
        kind = _kind(name, test, function, code)
        if kind is None:
            return None
        found[name] = (kind if kind.endswith("?") or name not in optional else f"{kind}?", name)
    for text in used[0]:
        short = text.rpartition(".")[2]
        if short in found or short in top:
            return None
        found[short] = ("Scalar", text)
    return found


def _asks_for_none(node: ast.Compare) -> bool:
    """`x is None` and `x is not None`."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        return False
    right = node.comparators[0]
    return isinstance(node.left, ast.Name) and isinstance(right, ast.Constant) and right.value is None


def _kind(name: str, test: ast.AST, function: ast.AST, code: Code) -> str | None:
    """The kind of a name of the function: as annotated, or by what made it, or by how the test asks it."""
    annotations = [one.annotation for one in ast.walk(function) if isinstance(one, ast.arg) and one.arg == name]
    if annotations and annotations[0] is not None:
        return kind_of(annotations[0])
    stores = list(names_in(function, lambda one: one.id == name and is_store(one)))
    made = [
        one.value
        for one in ast.walk(function)
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and one.targets[0] in stores
    ]
    unpacked = [one for one in ast.walk(function) if isinstance(one, ast.Assign) and _unpacks_sizes(one)]
    of_sizes = [one for one in stores if any(one in ast.walk(assign.targets[0]) for assign in unpacked)]
    plain = len(made) + len(of_sizes) == len(stores) and all(map(_is_size, made))
    if stores and plain and not annotations:
        return "SymInt"
    uses = list(names_in(test, lambda one: one.id == name))
    return "Tensor" if any(is_tensor(one, code) or _asked_as_tensor(one, code) for one in uses) else None


def _unpacks_sizes(statement: ast.Assign) -> bool:
    """`batch, length, _ = x.shape`, `batch, length = x.size()`."""
    target, value = statement.targets[0], statement.value
    if isinstance(value, ast.Call) and not value.args and not value.keywords:
        value = value.func
    sized = isinstance(value, ast.Attribute) and value.attr in ("shape", "size")
    names = target.elts if isinstance(target, ast.Tuple) else []
    return sized and bool(names) and all(isinstance(one, ast.Name) for one in names)


def _is_size(value: ast.expr) -> bool:
    """`x.shape[0]`, `x.size(0)`, `len(x)`."""
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Attribute) and value.value.attr == "shape"
    if not isinstance(value, ast.Call):
        return False
    named = isinstance(value.func, ast.Name) and value.func.id == "len"
    return named or (isinstance(value.func, ast.Attribute) and value.func.attr in _SIZES)


def _asked_as_tensor(name: ast.Name, code: Code) -> bool:
    """Whether a name stands in an expression on which a method of tensors is called, or is given to torch."""
    for above in code.around(name)[::-1]:
        if isinstance(above, ast.Call):
            func = above.func
            if isinstance(func, ast.Attribute) and func.attr in _OF_TENSORS:
                return True
        if isinstance(above, (ast.stmt, ast.BoolOp)):
            return False
    return False


def _bound_in(function: ast.AST) -> set[str]:
    parameters = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    return parameters | {one.id for one in names_in(function, is_store)}


def _names_at_the_top(code: Code) -> set[str]:
    """What the file imports, defines or names at its top, or finds among built-in exceptions and functions."""
    defined = [one.name for one in code.tree.body if isinstance(one, (*FunctionNode, ast.ClassDef))]
    assigned = [one.targets[0] for one in code.tree.body if isinstance(one, ast.Assign) and len(one.targets) == 1]
    named = [one.id for one in assigned if isinstance(one, ast.Name)]
    built_in = (
        "ValueError RuntimeError AssertionError TypeError IndexError ArithmeticError Exception len str repr type print "
        "round float int"
    )
    return {*bound(code), *defined, *named, *built_in.split()}


def free_name(name: str, code: Code) -> str:
    """The name, or the first with a number behind it that the file does not know."""
    known = {one.id for one in names_in(code.tree, lambda _: True)}
    known |= {one.name for one in ast.walk(code.tree) if isinstance(one, FunctionNode)}
    number, free = 1, name
    while free in known:
        number += 1
        free = f"{name}_{number}"
    return free


def operator_of(check: ast.stmt, name: str, kinds: dict[str, tuple[str, str]], code: Code) -> str:
    """The operator whose body is a statement, which the graph keeps although it gives nothing."""
    own = lines_of(check, code)
    assert own is not None, "the caller looked"
    given = ", ".join(kinds)
    step = code.indent
    body = "\n".join(f"{step}{line[len(own.indent) :]}" for line in own.lines)
    named = {text: one for one, (_, text) in kinds.items() if text != one}
    if named:
        wanted = _without_self(check, named)
        for text, one in named.items():
            body = re.sub(rf"\b{re.escape(text)}\b", one, body)
        if ast.dump(ast.parse(f"if True:\n{body}").body[0]) != ast.dump(ast.If(ast.Constant(True), [wanted], [])):
            body = "\n".join(f"{step}{line}" for line in ast.unparse(wanted).splitlines())  # a text holds the words
    return (
        f'\n\n@torch.library.custom_op(\n{step}"{namespace(code)}::{name.strip("_")}",\n{step}mutates_args=(),\n'
        f"{_schema([f'{kind} {one}' for one, (kind, _) in kinds.items()], code)})\n"
        f"def {name}({given}):\n{body}\n"
        f"\n\n{name}.register_effect(torch.library.EffectType.ORDERED)\n"
        f"\n\n@{name}.register_fake\ndef _({given}):\n{step}pass\n"
    )


def _schema(parts: list[str], code: Code) -> str:
    """The keyword `schema`, over as many lines as the width of the file asks for."""
    step, lines = code.indent, [""]
    for number, part in enumerate(parts):
        text = part if number == len(parts) - 1 else f"{part}, "
        if lines[-1] and len(f'{step}{step}"{lines[-1]}{text}) -> ()"') > code.width:
            lines.append("")
        lines[-1] += text
    lines = [f'"{"" if number else "("}{line}' for number, line in enumerate(lines)]
    lines[-1] += ") -> ()"
    if len(lines) == 1:
        return f'{step}schema={lines[0]}",\n'
    return f"{step}schema=" + f'"\n{step}'.join(lines) + '",\n'


def _without_self(check: ast.stmt, names: dict[str, str]) -> ast.stmt:
    """The statement with parameters in the place of what it reads from `self`."""

    class _Named(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            short = names.get(ast.unparse(node))
            return ast.Name(short, ast.Load()) if short is not None else self.generic_visit(node)

    found: ast.stmt = _Named().visit(ast.parse(ast.unparse(check)).body[0])
    return found
