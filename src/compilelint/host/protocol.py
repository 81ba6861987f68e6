"""What the parts of a run ask of the machine that runs it, so that none of them needs to import it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from compilelint.host.region import Region
from compilelint.host.signals import Signal
from compilelint.host.values import Class, Drawn, Env, Function, Thing, Value
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.syntax import ir


class Machine(Protocol):
    """The run of a program: `machine.Machine`."""

    program: Program
    regions: Any  # `regions.Regions`, which sees what happens to compiled objects
    region: Region | None
    steps: int
    loops: int
    uncertain: int
    guessed: int
    gradients: bool
    journals: list[list[tuple[Any, str, Value, bool]]]
    yields: list[list[Value]]
    calls: list[tuple[Env, int]]
    exits: int
    grown: list[list[Value]]
    lengths: dict[int, tuple[list[Value], Drawn]]
    classes: dict[int, Class]
    entered: set[int]

    def tick(self) -> None: ...

    def module_of(self, dotted: str) -> ModuleInfo | None: ...

    def run_module(self, module: ModuleInfo, name: str) -> Env: ...

    def body(self, env: Env, body: ir.Body) -> Signal: ...

    def eval(self, env: Env, e: ir.Expr) -> Value: ...

    def truth(self, value: Value) -> bool | None: ...

    def iterate(self, value: Value, limit: int) -> tuple[list[Value], bool]: ...

    def one_of(self, values: list[Value]) -> Value: ...

    def lost(self, values: Iterable[Value]) -> None: ...

    def counted(self, value: Value) -> Drawn | None: ...

    def function(self, env: Env, node: ir.Function) -> Function: ...

    def decorated(self, env: Env, value: Value, decorators: Any) -> Value: ...

    def defaults_of(self, cls: Class | None, method: FunctionInfo) -> dict[str, Value]: ...

    def bind(self, env: Env, name: str, value: Value) -> None: ...

    def assign(self, env: Env, target: ir.Expr, value: Value) -> None: ...

    def note_write(self, env: Env, owner: Any, name: str, pos: int) -> None: ...

    def set_attribute(self, env: Env, owner: Value, name: str, value: Value, pos: int) -> None: ...

    def attribute(self, env: Env, value: Value, name: str, pos: int) -> Value: ...

    def class_of(self, info: ClassInfo) -> Class | None: ...

    def call(
        self,
        env: Env,
        function: Value,
        args: list[Value],
        keywords: dict[str, Value],
        pos: int,
        node: ir.Call | None = None,
    ) -> Value: ...

    def call_plain(self, env: Env, thing: Thing, args: list[Value], keywords: dict[str, Value], pos: int) -> Value: ...

    def call_method(
        self, env: Env, thing: Value, name: str, args: list[Value], keywords: dict[str, Value], pos: int
    ) -> Value: ...

    def inside(self, region: Region) -> Any: ...
