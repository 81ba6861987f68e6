"""What compiled code reads in each call, and which calls therefore share what was compiled.

Dynamo's own rule, step by step: a version holds for a call if every guard that it made still holds. A call of a
compiled object is followed through the compiled code; each argument, attribute, global or item that is read from
outside is a guard. Versions belong to the code, so that all instances whose `forward` is compiled share them. A size
or number that has changed once is taken for a symbol from then on, as Dynamo does. Nothing is concluded from what is
not known. Does not belong here: what happens when the wrapper is used as a value (`wrappers`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from compilelint.events import NumberUse
from compilelint.host.ambient import SETTINGS, Ambient
from compilelint.host.files import Files
from compilelint.host.guards import GRAD_MODE, Difference, Guard, Version, Versions, class_of
from compilelint.host.modules import modules_of, parameters_of
from compilelint.host.protocol import Machine
from compilelint.host.recorded import ANY, Lost, Output, Pool, followed, sizes_of, tensors_in
from compilelint.host.region import Region
from compilelint.host.signals import RaisedError
from compilelint.host.values import (
    UNKNOWN,
    Bound,
    Class,
    Compilation,
    Dispatch,
    Drawn,
    Env,
    External,
    Function,
    Lib,
    NamePart,
    Partial,
    Parts,
    Result,
    Sym,
    Tensor,
    Thing,
    Value,
    Wrapper,
    WrapperType,
    Write,
    is_plain,
)

_LIMITS = frozenset({"torch._dynamo.config.recompile_limit", "torch._dynamo.config.cache_size_limit"})
_CONFIG = "torch._dynamo.config."
MANY_VALUES = 3  # sizes or numbers at which recording each of them is no longer a matter of a few graphs


class Failure(NamedTuple):
    """A call that compiles again, because a guard of the version before does not hold."""

    key: Any
    compilation: Compilation
    difference: Difference
    kind: str  # `input`, `instance` or `state`
    env: Env
    pos: int
    write: Write | None
    number: int  # of the version that is made
    certain: bool
    refused: str = ""  # what makes the call raise
    limit: int | None = None  # of versions, where the program sets it
    use: NumberUse = ""
    remade: bool = False  # the same compile call made what is called, and ran again since


class Regions:
    """The compile calls of a run, the versions of what they compile, and what is to be said of both."""

    def __init__(self) -> None:
        self.by_code: dict[Any, Versions] = {}
        self.failures: list[Failure] = []
        self.compilations: list[Wrapper] = []
        self.in_place: list[tuple[Any, Compilation]] = []
        self.global_writes: dict[tuple[int, str], Write] = {}
        self.escaped: set[int] = set()
        self.plain_calls: dict[int, tuple[Env, int]] = {}
        self._place: tuple[Env, int] | None = None
        self.at_work: Compilation | None = None
        self.stance = "default"
        self.limit: int | None = None
        self.ambient = Ambient()
        self.files = Files()
        self.settings: dict[str, Value] = {}  # of `torch._dynamo.config`
        self.kept: list[Any] = []  # so that identities stay their own
        self.made = 0  # versions, of all code
        self.called = 0  # calls of compiled objects
        self.timed: list[tuple[Compilation, Env, int]] = []
        self.pool = Pool()
        self.given_last: list[Tensor] = []  # the tensors that the last compiled call was given
        self.disabled = 0  # functions around the step at work in which nothing is compiled
        self.transforms = 0  # transforms of `torch.func` around the step at work
        self.threads = 0  # worker threads around the step at work
        self.started: set[int] = set()  # recorded compile calls that were called outside of any
        self.numbers: dict[tuple[Any, str], set[object]] = {}  # by code and guard: the values that recorded calls met

    # -------------------------------------------------------------- calls

    def call(
        self, m: Machine, env: Env, wrapper: Wrapper, args: list[Value], keywords: dict[str, Value], pos: int
    ) -> Value:
        """The compiled object is called."""
        wrapper.compilation.calls += 1
        return self._compiled_call(m, env, wrapper.target, wrapper.compilation, args, keywords, pos)

    def call_in_place(
        self, m: Machine, env: Env, module: Any, args: list[Value], keywords: dict[str, Value], pos: int
    ) -> Value:
        """A module is called that was compiled by its own `compile()`."""
        compilation = module.compiled
        compilation.calls += 1
        return self._compiled_call(m, env, module, compilation, args, keywords, pos)

    def _compiled_call(
        self,
        m: Machine,
        env: Env,
        target: Value,
        compilation: Compilation,
        args: list[Value],
        keywords: dict[str, Value],
        pos: int,
    ) -> Value:
        idle = "" if m.region is not None else self._idle(target, compilation)
        if idle:
            compilation.idle[idle] = compilation.idle.get(idle, 0) + 1
        if m.region is not None or compilation.disabled or idle:
            return self._plainly(m, env, target, args, keywords, pos)
        if compilation.records:
            self._begin_recording(m, env, compilation, [*args, *keywords.values()], pos)
        region = Region()
        ambient = self.ambient.guards(m.gradients)
        raised = False
        self.called += 1
        self.given_last = tensors_in([*args, *keywords.values()])
        kept, self.at_work = self.at_work, compilation
        root: Value = target
        while isinstance(root, Partial):
            root = root.args[0] if root.args else root.function
        with m.inside(region):
            if isinstance(target, Lib):
                _note_layer(region, target, args, keywords)
            elif isinstance(target, Thing):
                region.guards["L['self']"] = class_of(target)
                region._placed("L['self']", target)
            try:
                result = self._plainly(m, env, target, args, keywords, pos)
            except RaisedError:
                raised = True
                result = UNKNOWN
        self.at_work = kept
        region.guards.update(ambient)
        if not raised and not region.broken:
            self._counted(m, env, target, root, compilation, region, pos)
        result = _given_by(result, compilation, m, frozenset({self.called}))
        if compilation.records:
            result = followed(result, None if m.gradients else False, keywords)
            made = Output(compilation, self.pool.generation, env, pos)
            weights = weights_of(target)
            result = self.pool.give(result, [*args, *keywords.values()], made, m.gradients, weights)
        return result

    def _begin_recording(self, m: Machine, env: Env, compilation: Compilation, given: list[Value], pos: int) -> None:
        """What a call of code that records CUDA graphs begins with."""
        if not self.threads:
            self.started.add(id(compilation))
        elif id(compilation) not in self.started:
            self.threaded(m, env, compilation, pos)
        compilation.sizes.add(sizes_of(given))
        self.pool.begin()
        self.read(m, env, given, pos, "fed")

    def _idle(self, target: Value, compilation: Compilation) -> str:
        """Why a call of a compiled object compiles nothing; empty where it does."""
        if self.stance == "force_eager":
            return "stance"
        if self.disabled:
            return "disabled-around"
        if self.transforms and compilation.aot and not compilation.fullgraph:
            return "transform"
        function = target.info if isinstance(target, Function) else None
        if isinstance(target, Thing) and target.cls.is_module and "forward" not in target.attrs:
            function = target.cls.method("forward")
        if function is None:
            return ""
        if function.node.is_generator and not compilation.fullgraph:  # which raises
            return "generator"
        return "disabled" if function.decorated("disable") else ""

    def _plainly(
        self, m: Machine, env: Env, target: Value, args: list[Value], keywords: dict[str, Value], pos: int
    ) -> Value:
        if isinstance(target, Thing):
            return m.call_plain(env, target, args, keywords, pos)
        if isinstance(target, Lib):
            kept, target.compiled = target.compiled, None
            try:
                return m.call(env, target, args, keywords, pos)
            finally:
                target.compiled = kept
        return m.call(env, target, args, keywords, pos)

    def _counted(
        self, m: Machine, env: Env, target: Value, root: Value, compilation: Compilation, region: Region, pos: int
    ) -> None:
        key = code_key(m, target)
        if key is None:
            return
        if compilation.records:
            for path, guard in region.guards.items():
                met = self.numbers.setdefault((key, path), set())
                if len(met) < MANY_VALUES:
                    met.add(repr(guard.value[3] if guard.kind == "tensor" else guard.value))
        versions = self.by_code.setdefault(key, Versions())
        self_now = region.root.receiver if region.root is not None else root
        before_it = len(versions.versions)
        frozen = self.stance == "eager_on_recompile"
        learns = self.settings.get("automatic_dynamic_shapes") is not False or compilation.dynamic is True
        found = versions.called(
            region.guards, dict(region.owners), compilation, self_now, m.steps, frozen=frozen, learns=learns
        )
        if len(versions.versions) > before_it:
            if not before_it:
                compilation.number = self.made
                self.timed.append((compilation, env, pos))
            self.made += 1
        if found is None:
            return
        difference, before = found
        write = self._write_of(region, difference.path, before)
        other = (
            before.root is not self_now and isinstance(self_now, (Thing, Lib)) and isinstance(before.root, (Thing, Lib))
        )
        kind = "instance" if other and difference.path.startswith("L['self']") else "input"
        closed = region.owners.get(difference.path, (None, ""))[0]
        if isinstance(closed, Env) and closed.function is not None and closed is not before.owner_of(difference.path):
            kind = "instance"  # another closure of the same function
        if difference.path in SETTINGS:
            write = self.ambient.writes.get(difference.path)
        if kind == "input" and (write is not None or difference.path == GRAD_MODE):
            kind = "state"
        certain = difference.sure and not m.uncertain and not m.guessed
        self.failures.append(
            Failure(
                key,
                compilation,
                difference,
                kind,
                env,
                pos,
                write,
                len(versions.versions),
                certain,
                self._refusal(),
                self.limit,
                region.use_of(difference.path),
                before.compilation is not compilation and before.compilation.place == compilation.place,
            )
        )

    def _refusal(self) -> str:
        """What of the program's settings makes a call raise that compiles again; empty where none does."""
        if self.stance == "fail_on_recompile":
            return 'the stance `"fail_on_recompile"`'
        refused = self.settings.get("error_on_recompile") is True
        return "`torch._dynamo.config.error_on_recompile`" if refused else ""

    def _write_of(self, region: Region, path: str, before: Version) -> Write | None:
        """Who wrote what a guard asks of since the version was made: it, or what holds it."""
        for word in (".keys()", " itself", " settings", " items"):
            path = path.removesuffix(word)
        path = path.partition(" in test ")[0]
        while path:
            holder, name = region.owners.get(path, (None, ""))
            if before.owners.get(path, (None, ""))[0] is not holder:
                holder = None  # another object, which differs because it is another
            for write in self._writes_of(holder, name):
                if write is not None and write.step > before.step:
                    return write
            cut = max(path.rfind("."), path.rfind("["))
            path = path[:cut] if cut > 0 else ""
        return None

    def _writes_of(self, holder: Any, name: str) -> Iterator[Write | None]:
        """Where a name of a holder was written, and where what it holds was changed."""
        held: Any = holder
        if isinstance(holder, Env):
            yield self.global_writes.get((id(holder), name))
            held = holder.names.get(name)
        elif isinstance(holder, (Thing, Lib, Class)) and name:
            yield holder.writes.get(name)
            held = holder.attrs.get(name)
        if isinstance(held, (list, dict, Tensor, Lib)):
            yield self.global_writes.get((id(held), ""))

    # ------------------------------------------------- events of the run

    def name_place(self, env: Env, target: Any) -> None:
        """The place of an assignment that is about to be made."""
        self._place = env, target.pos

    def name_written(self, m: Machine, env: Env, scope: Env, name: str) -> None:
        """A global is bound, or a name of a function around the one at work."""
        place = self._place
        pos = place[1] if place is not None and place[0] is env else (m.calls[-1][1] if m.calls else 0)
        self._place = None
        if name in scope.names and pos:
            self.kept.append(scope)
            self.global_writes[id(scope), name] = Write(env, pos, m.steps, m.region is not None)

    def container_written(self, m: Machine, env: Env, held: Any, pos: int) -> None:
        """A list or dictionary gets or loses an item."""
        self.global_writes[id(held), ""] = Write(env, pos, m.steps, m.region is not None)

    def tensor_written(self, m: Machine, env: Env, held: Tensor, pos: int) -> None:
        """A flag of a tensor is switched."""
        self.global_writes[id(held), ""] = Write(env, pos, m.steps, m.region is not None)

    def named(self, m: Machine, env: Env, owner: Value, pos: int) -> None:
        """`model.compile`, as a statement of its own."""
        if isinstance(owner, (Thing, Lib)) and any(owner is one for _, one in modules_of(owner)):
            place = Compilation(env, pos, env.module.ir.location(pos))
            self.used(m, "unused", env, pos, "", "named", place)

    def escapes(self, value: Value) -> None:
        """A value is handed to code that is not followed."""
        if isinstance(value, (Wrapper, Thing, Lib)):
            self.escaped.add(id(value))

    def dimension(self, m: Machine, t: Tensor, i: int, d: Any) -> Value:
        """A size that is read."""
        if m.region is not None and type(d) is int:
            path = m.region.paths.get(id(t))
            if path is not None:
                return Sym(d, f"{path}.size()[{i}]")
        return d

    # ------------------------------------- the wrapper as a value, autograd

    def read(self, m: Machine, env: Env, values: list[Value], pos: int, how: Lost = "kept") -> None:
        """Values are read by code that is not compiled."""

    def threaded(self, m: Machine, env: Env, compilation: Compilation, pos: int) -> None:
        """A recorded call is made in a worker thread, before any in the thread that started it."""

    def arrives(self, item: Value) -> None:
        """A generator gives its next item: it was made just now, and what it gave before is older."""
        self.pool.arrive(item)

    def step_marked(self) -> None:
        """The program says that a step of CUDA graphs begins."""
        self.pool.mark()

    def gradient_of(self, tensor: Tensor) -> Value:
        """`tensor.grad`."""
        held = self.pool.gradients
        gradient = held.get(id(tensor), held.get(ANY))
        if not tensor.param or gradient is None or self.pool.own_gradients:
            return UNKNOWN
        made = Tensor(tensor.shape, tensor.dtype, False, tensor.device)
        made.graph = gradient
        return made

    def gradient_set(self, owner: Value, value: Value) -> None:
        """`tensor.grad = value`."""
        if value is None:
            self.pool.clear_gradients([owner] if isinstance(owner, Tensor) and owner.param else None)
        else:
            self.pool.own_gradients = True

    def backward(self, m: Machine, env: Env, value: Value, pos: int) -> None:
        """A backward pass begins there."""

    def unknown_called(self, m: Machine, env: Env, name: str, args: list[Value], pos: int) -> None:
        """A method of what is not known is called: of an accelerator, of an optimizer that it has prepared."""
        if name == "backward":
            self.backward(m, env, args[0] if args else UNKNOWN, pos)
        elif name in ("zero_grad", "step"):  # an engine clears gradients in its step
            self.pool.clear_gradients()

    def setting(self, m: Machine, env: Env, name: str, value: Value, pos: int) -> None:
        """A switch of a library is set."""
        if name in _LIMITS:
            self.limit = value if isinstance(value, int) else None
        if name.startswith(_CONFIG):
            self.settings[name.removeprefix(_CONFIG)] = value
        self.ambient.assigned(name, value, Write(env, pos, m.steps, m.region is not None))

    def parts_asked(self, m: Machine, env: Env, value: Value, parts: Parts) -> None:
        """The direct parts of a compiled module are asked for."""

    def name_converted(self, m: Machine, env: Env, part: NamePart, pos: int) -> None:
        """A word of the name of a parameter is made a number."""

    def tested(self, m: Machine, env: Env, value: Value, expr: Any) -> None:
        """A value's truth is asked."""

    def compared(self, m: Machine, env: Env, op: str, left: Value, right: Value, expr: Any) -> None:
        """Two values are compared."""

    def met(self, m: Machine, a: Tensor, b: Tensor) -> None:
        """Two tensors meet in an operation."""

    def type_of(self, m: Machine, value: Value) -> Value:
        """`type(value)`."""
        if isinstance(value, Thing):
            return m.class_of(value.cls) or UNKNOWN
        return External(value.name) if isinstance(value, Lib) else UNKNOWN

    def tests_type(self, m: Machine, env: Env, how: str, value: Value, cls: Value, pos: int, node: Any) -> Value:
        """`isinstance(value, cls)`."""
        kinds = cls if isinstance(cls, tuple) else (cls,)
        found = [is_instance(value, one) for one in kinds]
        return True if True in found else UNKNOWN if None in found else False

    def used(self, m: Machine, how: str, env: Env, pos: int, name: str, detail: str, compilation: Compilation) -> None:
        """The wrapper, or what a compiled call gave, is used in some way."""

    def item_sought(self, m: Machine, env: Env, container: Value, index: Value, pos: int) -> None:
        """An item of a container is asked for."""

    def special(self, m: Machine, env: Env, value: Value, method: str, pos: int) -> None:
        """Python asks the class of a value for a special method."""

    def dispatched(self, m: Machine, env: Env, function: Dispatch, args: list[Value], pos: int) -> Value:
        """The function that `singledispatch` takes for these arguments."""
        if not args:
            return function.function
        known = [is_instance(args[0], cls) for cls, _ in function.table]
        if True in known:
            return function.table[known.index(True)][1]
        return UNKNOWN if None in known and args[0] is UNKNOWN else function.function

    def class_called(self, m: Machine, env: Env, value: WrapperType, pos: int) -> Value:
        """The class of a wrapper is called."""
        return UNKNOWN

    def method_entered(self, m: Machine, function: Function) -> Any:
        """A function is entered."""

    def method_left(self, m: Machine, token: Any) -> None:
        """A function is left."""

    def called_plainly(self, m: Machine, value: Value) -> None:
        """A module is called as it is."""

    def library_called(
        self, m: Machine, env: Env, name: str, args: list[Value], keywords: dict[str, Value], pos: int
    ) -> Value:
        """A library's function is called; UNKNOWN if it is none that this knows."""
        return UNKNOWN

    def marked(self, m: Machine, env: Env, t: Tensor, d: int, pos: int) -> None:
        """A dimension is marked."""

    def subtracted(self, m: Machine, a: Value, b: Value) -> bool:
        """Whether two values are times, of which the one is subtracted from the other."""
        return False

    def method_called(
        self, m: Machine, env: Env, receiver: Value, name: str, args: list[Value], keywords: Any, pos: int
    ) -> None:
        """A method of anything but an object of the program is called."""

    def wrapper_attribute(self, m: Machine, env: Env, wrapper: Wrapper, name: str, pos: int) -> Value:
        """`wrapper.name`."""
        if name == "_orig_mod":
            return wrapper.target
        if name in ("forward", "__call__"):
            return wrapper
        return m.attribute(env, wrapper.target, name, pos)


def is_instance(value: Value, cls: Value) -> bool | None:
    """Whether a value is an instance of a class; None where that is not known."""
    if value is UNKNOWN or isinstance(value, (Drawn, Result)):
        return None
    if isinstance(cls, Class):
        if isinstance(value, Thing):
            return cls.info in value.cls.mro
        return False if isinstance(value, (Tensor, Lib)) or is_plain(value) else None
    if isinstance(cls, External):
        short = cls.name.rpartition(".")[2]
        if isinstance(value, Tensor):
            return (
                True
                if cls.name in ("torch.Tensor", "torch.nn.Parameter")
                else False
                if cls.name.startswith("builtins")
                else None
            )
        if cls.name.startswith("builtins.") and (is_plain(value) or isinstance(value, (list, dict, tuple, set))):
            kinds = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "dict": dict, "tuple": tuple}
            return isinstance(value, kinds[short]) if short in kinds else None
        if cls.name == "torch.Tensor" and (is_plain(value) or isinstance(value, (list, dict, tuple))):
            return False
        if isinstance(value, Thing):
            if cls.name == "torch.nn.Module":
                return value.cls.is_module
            return True if value.cls.descends_from(cls.name) else None
        if isinstance(value, Lib):
            return True if value.name == cls.name or (cls.name == "torch.nn.Module" and value.is_module) else None
    return None


def weights_of(target: Value) -> list[Tensor]:
    """The parameters that a compiled object computes with, as far as they are known."""
    while isinstance(target, Partial):
        target = target.args[0] if target.args else target.function
    owner = target.receiver if isinstance(target, (Function, Bound)) else target
    return [one for _, one in parameters_of(owner)] if isinstance(owner, (Thing, Lib, Wrapper)) else []


def code_key(m: Machine, target: Value) -> Any:
    """What versions are kept by: the code that is compiled."""
    if isinstance(target, Partial):
        return code_key(m, target.function)
    if isinstance(target, Function):
        return id(target.info.node), 0
    if isinstance(target, Thing):
        name = "forward" if target.cls.is_module and target.cls.method("__call__") is None else "__call__"
        held = target.attrs.get(name)
        if isinstance(held, Function):
            return id(held.info.node), 0
        method = target.cls.method(name)
        return None if method is None else (id(method.node), 0)
    if isinstance(target, Lib) and target.is_module:
        return "torch.nn", 0  # one function of Dynamo calls whatever module of a library is compiled
    if isinstance(target, Lib):
        return "library", id(target)
    return None


def _note_layer(region: Region, layer: Lib, args: list[Value], keywords: dict[str, Value]) -> None:
    """A layer of torch is what is compiled: what its code asks."""
    region.guards["L['self']"] = Guard("class", layer.name)
    region._placed("L['self']", layer)
    region.layer_called(layer)
    for i, one in enumerate(args):
        region.note(f"L['args'][{i}]", one, one, "")
    for key, one in keywords.items():
        if isinstance(one, Tensor):
            region.note(f"L['{key}']", one, one, "")


def _given_by(value: Value, compilation: Compilation, m: Machine, calls: frozenset[int]) -> Value:
    """What a graph gives, which remembers that it did where a second derivative would be asked of it."""
    if isinstance(value, Tensor):
        if value.grad is not False and m.gradients and compilation.aot:
            value = value.but(given=compilation, calls=calls)
        return value
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)([_given_by(one, compilation, m, calls) for one in value])
    if isinstance(value, dict):
        return {key: _given_by(one, compilation, m, calls) for key, one in value.items()}
    return value
