"""What the engine knows of one file, asked by place: beliefs, names, facts. Knows no LibCST.

`FileState` is made by what ran the engine: a lint, or `lib.engine` for other tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from compilelint.events import DynamoConfig
from compilelint.events.event import DEFAULT
from compilelint.lib.node_state import UNREACHED, NodeState, Reach, happenings_of
from compilelint.model import Span
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.project.index import Program, canonical
from compilelint.survey.scopes import Scope, expressions, own_expressions, scopes, statements
from compilelint.syntax import ir
from compilelint.torchfacts import TorchFacts
from compilelint.values import ClassRef, External, FunctionRef

if TYPE_CHECKING:  # it loads the interpreter, which a run from the cache needs not
    from compilelint.interp.driver.observer import Observed

Key = tuple[int, type]
"""A packed place and the class of the node that stands there: a name and an f-string may share a place."""


def _nothing_seen() -> Observed:
    from compilelint.interp.driver.observer import Observed

    return Observed({}, {}, {})


class FileState:
    """One file as the engine has read it. `seen` is None where nothing was asked of the interpreter.

    `facts` are those of the torch that is predicted for; `config` the Dynamo configuration outside of all roots. `only`
    names statements of the top level, of which alone the expressions are known.
    """

    def __init__(
        self,
        program: Program,
        module: ModuleInfo,
        facts: TorchFacts,
        seen: Observed | None = None,
        config: DynamoConfig = DEFAULT,
        only: ir.Body | None = None,
    ) -> None:
        self.program = program
        self.module = module
        self.facts = facts
        self.config = config
        self.only = only
        self.seen = seen or _nothing_seen()

    @property
    def path(self) -> str:
        """The file, absolute with `/`."""
        return self.module.ir.path

    @cached_property
    def single_sized(self) -> set[int]:
        """The places of compile calls whose recorded calls are seen to have one size each."""
        from compilelint.host.run import single_sized

        return single_sized(self.program, self.module)

    def span(self, key: Key) -> Span:
        """Where a node stands, as `ast` counts it; columns in code points."""
        return self.module.ir.span(key[0])

    def believed(self) -> Iterable[Key]:
        """The nodes of which something is believed."""
        return self.seen.beliefs.keys()

    def state(self, key: Key, function: str) -> NodeState:
        """What is known of a node, which stands in the function of that qualified name."""
        value = self.seen.beliefs.get(key)
        events = self.seen.events.get(key[0], ())
        if value is None and not events:
            return UNREACHED
        return NodeState(value, self.reached_by(function), happenings_of(events))

    def reached_by(self, function: str) -> tuple[Reach, ...]:
        """The roots that reach a function, by its qualified name."""
        return tuple(Reach(*how) for how in self.seen.contexts.get(function, ()))

    def function_at(self, key: Key) -> str:
        """The qualified name of the function or class around an expression; empty at module level."""
        found = self._expressions.get(key)
        return "" if found is None else found[0].qualname

    def name(self, key: Key) -> str:
        """The dotted name that an expression stands for: canonical for a library's (`torch.nn.Linear` however it was
        imported), `module.qualname` for functions and classes of the program; empty for what has to be computed.
        """
        found = self._expressions.get(key)
        if found is None:
            return ""
        scope, expr = found
        value = scope.meaning(expr)
        if isinstance(value, External):
            return canonical(value.name)
        if isinstance(value, FunctionRef):
            return value.code.qualified_name
        return value.cls.qualified_name if isinstance(value, ClassRef) else ""

    def class_at(self, line: int) -> ClassInfo | None:
        """The class whose `class` stands on a line (from 1)."""
        return self._classes.get(line)

    def class_named(self, key: Key) -> ClassInfo | None:
        """The class of the program that an expression names."""
        scope, expr = self._expressions.get(key, (None, None))
        value = None if scope is None or expr is None else scope.meaning(expr)
        return value.cls if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo) else None

    def function_named(self, key: Key) -> FunctionInfo | None:
        """The function of the program that an expression names."""
        scope, expr = self._expressions.get(key, (None, None))
        value = None if scope is None or expr is None else scope.meaning(expr)
        return value.code if isinstance(value, FunctionRef) and isinstance(value.code, FunctionInfo) else None

    def lines(self, statement: ir.Stmt) -> range:
        """The lines of a statement, decorators included."""
        span = self.span((statement.pos, statement.__class__))
        decorators = statement.decorators if isinstance(statement, (ir.Function, ir.Class)) else ()
        first = min([span.line, *(self.module.ir.span(one.pos).line for one in decorators)])
        return range(first, span.end_line + 1)

    def calls(self) -> Iterator[tuple[Scope, ir.Call]]:
        """All calls of the file, with the scopes they stand in."""
        return ((scope, one) for scope, one in self._all() if isinstance(one, ir.Call))

    def expression(self, key: Key) -> tuple[Scope, ir.Expr] | None:
        """An expression as the engine has it, with its scope."""
        return self._expressions.get(key)

    def keys(self) -> Iterable[Key]:
        """All expressions of the file."""
        return self._expressions.keys()

    @cached_property
    def _expressions(self) -> dict[Key, tuple[Scope, ir.Expr]]:
        """Every expression with the scope it stands in; an inner scope's own come last and hold."""
        return {(one.pos, one.__class__): (scope, one) for scope, one in self._all()}

    @cached_property
    def _classes(self) -> dict[int, ClassInfo]:
        """The classes of the file by the line of their `class`."""
        owners = [one.owner for one in self.scopes if one.owner is not None and one.function is None]
        return {self.module.ir.span(one.node.head).line: one for one in owners}

    @cached_property
    def scopes(self) -> list[Scope]:
        """The scopes of the file, outer before inner."""
        return scopes(self.program, self.module, self.only)

    def _all(self) -> Iterator[tuple[Scope, ir.Expr]]:
        for scope in self.scopes:
            body = scope.body if self.only is None or scope.parent is not None else self.only
            for statement, _ in statements(body):
                for expr in expressions(own_expressions(statement)):
                    yield scope, expr

    @cached_property
    def _functions(self) -> list[tuple[Span, str]]:
        """The functions of the file with their spans, inner after outer."""
        found = (one.function for one in self.scopes)
        return [(self.module.ir.span(one.node.pos), one.node.qualname) for one in found if one is not None]

    def function_around(self, span: Span) -> str:
        """The qualified name of the innermost function around a place; empty outside of all."""
        name = ""
        for around, qualname in self._functions:
            if around[:2] <= span[:2] and span[2:] <= around[2:]:
                name = qualname
        return name
