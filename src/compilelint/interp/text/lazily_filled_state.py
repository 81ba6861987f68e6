"""State that calls fill only now and then: a table that the constructor makes by the same method, a dict of one call.

Read off the text of the file in which the state changes.
"""

from __future__ import annotations

from compilelint.events import Context
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name, statements_of


def filled_by_constructor(context: Context) -> bool:
    """Whether the method that changes the state is one that `__init__` of its class calls as well."""
    owner, _, method = context.function.rpartition(".")
    where = context.where
    return isinstance(where, ir.Module) and bool(owner) and (owner, method) in fact(where, _called_by_constructors)


def _called_by_constructors(module: ir.Module) -> frozenset[tuple[str, str]]:
    """Classes of a file, each with a method that its `__init__` calls."""
    found: set[tuple[str, str]] = set()
    classes = [s for s in statements_of(module.body) if isinstance(s, ir.Class)]
    for cls in classes:  # grows while it is read
        for s in statements_of(cls.body):
            if isinstance(s, ir.Class):
                classes.append(s)
            elif isinstance(s, ir.Function) and s.name == "__init__":
                own = (one for inner in statements_of(s.body) for one in expressions(own_expressions(inner)))
                names = (dotted_name(one.func) for one in own if isinstance(one, ir.Call))
                found.update((cls.qualname, name[5:]) for name in names if name.startswith("self."))
    return frozenset(found)


def handed_back(node: ir.Function) -> frozenset[str]:
    """The parameters that a function returns and nothing beside: it passes on what the caller made for this call."""
    returned = [s.value for s in statements_of(node.body) if isinstance(s, ir.Return)]
    names = {one.id for one in returned if isinstance(one, ir.Name)}
    return (
        frozenset(names & {one.name for one in node.params})
        if all(isinstance(one, ir.Name) for one in returned)
        else frozenset()
    )
