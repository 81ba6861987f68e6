"""`Rule`: what the author of a rule derives from, and how its reports become findings.

A rule is a LibCST visitor. It is made again for each file, given what the engine knows of it, and sent over the tree.
Does not belong here: which rules there are (`packs`), and which files are opened for them (`scout`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import libcst as cst

from compilelint.lib.edits import edits_of
from compilelint.lib.node_state import NodeState
from compilelint.lib.opened import Opened
from compilelint.lib.providers import state_of
from compilelint.model import Confidence, Effect, Finding, Fix, Location, Safety
from compilelint.model import Rule as Metadata
from compilelint.project.classes import ClassInfo
from compilelint.project.index import canonical
from compilelint.torchfacts import Fact, TorchFacts

_BODIES = (cst.BaseSuite, cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.MatchCase)

API_VERSION = 1
"""What a pack says it was written for: `COMPILELINT_API = 1` in its module. Counts up when a rule has to change."""


class Rule(cst.CSTVisitor):
    """A rule of a pack.

    `code` is letters and three digits (`TEAM001`; `CL` is compilelint's own), `name` is kebab-case and names the
    pattern, `summary` says in one line what is found, `effect` what it does to the compiled program. `words` are
    texts of which a file must hold one to be opened at all: without them every linted file is opened. `whole` is False
    where the statements of the top level that hold a word are all that matters: the others are not parsed, and `module`
    lacks them. `fixes` says how safe the fixes are, None where there are none. `beliefs` says that the rule asks
    `state`: where none does, the engine need not remember what it believed. `VALID` and `INVALID` are sources, the
    latter with `# CODE` on each line that is to be found.
    """

    code: ClassVar[str] = ""
    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    effect: ClassVar[Effect] = Effect.SLOW
    words: ClassVar[Sequence[str]] = ()
    fixes: ClassVar[Safety | None] = None
    beliefs: ClassVar[bool] = True
    whole: ClassVar[bool] = True
    url: ClassVar[str] = ""
    VALID: ClassVar[Sequence[str]] = ()
    INVALID: ClassVar[Sequence[str]] = ()

    def __init__(self) -> None:
        super().__init__()
        self._opened: Opened | None = None
        self._metadata: Metadata | None = None
        self._reported: list[Finding] = []

    # ------------------------------------------------------------- questions

    def state(self, node: cst.CSTNode) -> NodeState:
        """What the engine believes of an expression; `not reached` for what is not an expression.

        Raises ValueError in a rule that says it does not ask.
        """
        if not self.beliefs:
            raise ValueError(f"{type(self).__name__} asks for a state: leave out `beliefs = False`")
        opened = self._file
        return state_of(opened.known, opened.key(node))

    def qualified_name(self, node: cst.CSTNode) -> str:
        """The dotted name that an expression stands for (`torch.nn.Linear`), empty where it has to be computed."""
        opened = self._file
        key = opened.key(node)
        return "" if key is None else opened.known.name(key)

    def derives(self, node: cst.ClassDef | cst.BaseExpression, *bases: str) -> bool:
        """Whether a class, or what an expression names, derives from a library's class: `torch.nn.Module`.

        At any depth, through classes of any file; from one of `bases` where several are given.
        """
        found = self._class(node)
        return found is not None and any(isinstance(one, str) and canonical(one) in bases for one in found.mro)

    def defines(self, node: cst.ClassDef | cst.BaseExpression, method: str) -> bool:
        """Whether a class, or one of its bases whose source is at hand, has a method of that name."""
        found = self._class(node)
        return found is not None and found.method(method) is not None

    def _class(self, node: cst.ClassDef | cst.BaseExpression) -> ClassInfo | None:
        opened = self._file
        if isinstance(node, cst.ClassDef):
            return opened.known.class_at(opened.places[node.name][0])
        key = opened.key(node)
        return None if key is None else opened.known.class_named(key)

    def inside(self, *kinds: type[Any]) -> Any:
        """The innermost node of these classes around the one that is visited, in the same function; None without one.

        The test of an `if` is not inside of it, nor are the decorators of a function.
        """
        below: cst.CSTNode | None = None
        for node in reversed(self._file.around):
            if not isinstance(node, cst.BaseCompoundStatement) or isinstance(below, _BODIES):
                if isinstance(node, kinds):
                    return node
                if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
                    return None
            below = node
        return None

    def fact(self, name: str) -> Fact | None:
        """What TorchDynamo does where a function of a library is called, for the torch that is predicted for."""
        return self.facts.callable(name)

    @property
    def facts(self) -> TorchFacts:
        """All facts of that torch: `verdict`, `result`, `layer`, ..."""
        return self._file.known.facts

    @property
    def module(self) -> cst.Module:
        """The tree of the file."""
        return self._file.module

    @property
    def path(self) -> str:
        """The file, absolute with `/`."""
        return self._file.known.path

    @property
    def _file(self) -> Opened:
        assert self._opened is not None, "a rule knows a file while it is being run on it"
        return self._opened

    def around(self, *kinds: type[Any]) -> Any:
        """The innermost node of these classes around the one that is visited, through functions; None without one."""
        return next((one for one in reversed(self._file.around) if isinstance(one, kinds)), None)

    # --------------------------------------------------------------- answers

    def report(
        self,
        node: cst.CSTNode,
        message: str,
        *,
        why: str = "",
        help: str = "",  # noqa: A002 - called like the field it fills
        confidence: Confidence = Confidence.LIKELY,
        fix: cst.CSTNode
        | cst.RemovalSentinel
        | cst.CSTTransformer
        | Mapping[cst.BaseExpression, cst.BaseExpression]
        | None = None,
    ) -> None:
        """Report a node: `message` says what is found there, `why` what it costs, `help` what to write instead.

        `fix` is what to put in the node's place, or a transformer for the whole module, or several expressions with
        what to put in the place of each; it is dropped if the result would not parse. Raises ValueError for a fix of a
        rule whose `fixes` is None, and for a node of another tree.
        """
        opened, rule = self._file, self._metadata
        assert rule is not None
        at = node.name if isinstance(node, (cst.FunctionDef, cst.ClassDef)) else node
        span = opened.span(at)
        if span is None:
            raise ValueError(f"{type(node).__name__} is not a node of this file: report the one that was visited")
        key = opened.key(at)
        function = opened.known.function_around(span) if key is None else opened.known.function_at(key)
        reached = tuple(dict.fromkeys(one.root for one in opened.known.reached_by(function)))
        self._reported.append(
            Finding(
                rule,
                message,
                rule.effects,
                confidence,
                Location(self.path, span),
                function=function,
                roots=reached if self.beliefs else (function or "<module>",),
                why=why,
                help=help,
                fix=self._fix(node, fix),
            )
        )

    def _fix(
        self,
        node: cst.CSTNode,
        fix: cst.CSTNode
        | cst.RemovalSentinel
        | cst.CSTTransformer
        | Mapping[cst.BaseExpression, cst.BaseExpression]
        | None,
    ) -> Fix | None:
        if fix is None:
            return None
        if self.fixes is None:
            raise ValueError(f"{self.code} gives a fix: say how safe it is, `fixes = Safety.UNSAFE`")
        edits = edits_of(self._file.module, self._file.places, node, fix)
        assert self._metadata is not None
        title = f"{self._metadata.code}: {self._metadata.summary}"
        return Fix(self.fixes, title, edits) if edits else None
