"""Which functions are worth starting from although nothing that is known to be compiled reaches them.

Tensors go through them, and nothing says that they belong to the host: they hand no arrays or texts back, do no work of
the host (`host_work`), are no hooks of a data loader and no tests. One that computes with tensors and ends in numbers
counts, and so does a step that trains: both are compiled as they are. Decided by what a function does and who calls
it, never by how it is called.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial

from compilelint.interp.text import usage
from compilelint.interp.text.held_tensors import computes_with_held_tensors
from compilelint.interp.text.host_work import (
    all_statements,
    called_over_data,
    calls_in,
    calls_of,
    changes_model,
    steps_of_training,
    trains_once,
    work_of,
    working_on_host,
    works_on_host,
)
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo, NotedNames
from compilelint.project.file_kinds import is_test
from compilelint.project.index import Program
from compilelint.project.roots import functions_of
from compilelint.project.roots import takes_tensors as annotated_with_tensors
from compilelint.syntax import ir
from compilelint.syntax.facts import aside, fact, top_level
from compilelint.syntax.walk import dotted_name, last_name, statements_of

# What a value goes through on its way to the host.
_TO_NUMBERS = frozenset({"item", "tolist"})
_TO_HOST = _TO_NUMBERS | {"numpy", "fromarray"}
_NUMBERS = frozenset({"float", "int", "bool"})
_PLAIN = _NUMBERS | {"str", "ndarray", "Image", "Figure", "Path", "bytes"}
# Classes whose methods a framework calls outside of the model.
_HOST_BASES = frozenset(
    """
    ABCMeta BaseDataset BatchSampler Callback DataLoader DataModule Dataset IterableDataset LightningDataModule Metric
    Sampler TestCase Logger LRScheduler _LRScheduler PreTrainedTokenizer PreTrainedTokenizerFast
    """.split()
)
# The same by the ends of their names: what a library's loop is handed, and what drives it.
_HOST_ENDINGS = ("Collator", "CollatorMixin", "Evaluator", "Trainer")
_HOOK_KEYWORDS = frozenset({"collate_fn", "worker_init_fn", "batch_sampler", "sampler", "target_transform"})


# Calls that convert a value or ask what it is: a function of nothing else is there to leave the device.
_CONVERSIONS = _TO_NUMBERS | frozenset(
    "bool clone contiguous cpu detach float hasattr int isinstance len numel squeeze to type".split()
)


class Eager:
    """What is known of the host code of a file: its hooks, and which functions only host code calls."""

    def __init__(self, module: ModuleInfo, functions: Sequence[FunctionInfo]) -> None:
        self.is_test = is_test(module.ir.path)
        self._hosts: dict[int, _Host] = {}
        self._callers: dict[str, list[FunctionInfo]] = {}
        self._hooks: set[str] = set()
        self._driving: set[int] = set()
        self._steps: set[int] = set()
        if self.is_test:
            return
        bodies = [(function, fact(function.node, calls_in)) for function in functions]
        for function, calls in bodies:
            for name in _called(calls):
                self._callers.setdefault(name, []).append(function)
            self._hooks.update(_handed_to_loaders(calls))
        self._hooks.update(fact(module.ir, _hooks_of))
        self._driving = working_on_host(bodies)
        self._steps = steps_of_training(bodies)

    def _look_at(self, function: FunctionInfo) -> None:
        """Note that a function counts by its name, through which it was not found."""
        function.module.bindings.get(function.node.qualname.partition(".")[0])

    def is_host(self, function: FunctionInfo) -> bool:
        """Whether a function is host code, by what it does or because nothing else calls it."""
        return self.is_test or function.node.name in self._hooks or self._kind(function, 0) is not _Host.NONE

    def computes_first(self, function: FunctionInfo) -> bool:
        """Whether a function is host code only by its end, or by the step of training that it makes.

        What it computes until then is what a compiled program runs, so both are worth compiling.
        """
        node = function.node
        if self.is_test or node.name in self._hooks or _is_of_host_class(function):
            return False
        if id(node) in self._driving and id(node) not in self._steps:
            return False
        if _promises(function, _PLAIN - _NUMBERS) or fact(node, _returns_arrays) or fact(node, _sets_up):
            return False
        if id(node) in self._steps:
            return True
        return (_promises(function, _NUMBERS) or _hands_over(function)) and fact(node, _computes)

    def _kind(self, function: FunctionInfo, depth: int) -> _Host:
        known = self._hosts.get(id(function.node))
        if known is not None:
            return known
        self._hosts[id(function.node)] = _Host.NONE  # functions that call each other settle nothing
        self._look_at(function)
        found = self._own_kind(function)
        if found is _Host.NONE and depth < _DEEPEST:
            callers = [c for c in self._callers.get(function.node.name, ()) if c is not function]
            found = _by_callers(function, {self._kind(caller, depth + 1) for caller in callers})
        if found is not _Host.NONE or not depth:
            self._hosts[id(function.node)] = found
        else:  # asked from further away, it may be only the bound that says no
            del self._hosts[id(function.node)]
        return found

    def _own_kind(self, function: FunctionInfo) -> _Host:
        if _belongs_to_host(function) or _hands_over(function):
            return _Host.HANDS_OVER
        return _Host.DRIVES if id(function.node) in self._driving else _Host.NONE


class _Host(enum.Enum):
    """What makes a function host code: `HANDS_OVER` ends on the host, `DRIVES` calls what computes."""

    NONE = enum.auto()
    HANDS_OVER = enum.auto()
    DRIVES = enum.auto()


def _by_callers(function: FunctionInfo, callers: set[_Host]) -> _Host:
    """What callers make of a function that does nothing of a host itself.

    What computes a metric belongs to the metric. But a loop that trains, and a script that reads its files, call what
    is worth compiling: a value from them, or a method of a module, is where compiled code begins.
    """
    if not callers or _Host.NONE in callers:
        return _Host.NONE
    if callers == {_Host.HANDS_OVER}:
        return _Host.HANDS_OVER
    owner = function.owner
    if (owner is not None and owner.is_module) or _returns_value(function.node.body):
        return _Host.NONE
    return _Host.DRIVES


_DEEPEST = 3


def worth_starting(program: Program) -> Callable[[FunctionInfo], bool]:
    """Which functions may be compiled although nothing says so."""
    eager = _by_file(program)

    def worth(function: FunctionInfo) -> bool:
        name = function.node.name
        if name.startswith("__") and name != "__call__":
            return False
        if not usage.takes_tensors(function) and not computes_with_held_tensors(function):
            return False
        file = eager(function.module)
        return not file.is_host(function) or file.computes_first(function)

    return worth


def entry_like(program: Program) -> Callable[[FunctionInfo], bool]:
    """Which functions user code may call as it calls a model.

    What may be compiled, and the methods of modules that hand something back although they also work on the host:
    `generate`, `sample`, `predict`. What prepares, loads, plots, measures or tests is none.
    """
    eager = _by_file(program)

    def entry(function: FunctionInfo) -> bool:
        file, owner = eager(function.module), function.owner
        if not file.is_host(function):
            return True
        if file.is_test or owner is None or not owner.is_module:
            return False
        hands_back = function.node.is_generator or _returns_value(function.node.body)
        return hands_back and not _belongs_to_host(function)

    return entry


def _by_file(program: Program) -> Callable[[ModuleInfo], Eager]:
    files: dict[int, Eager] = {}

    def eager(module: ModuleInfo) -> Eager:
        found = files.get(id(module))
        if found is None:
            shared = isinstance(module.bindings, NotedNames)
            with aside(module.ir, HOSTS, partial(said_of_hosts, module)) if shared else nullcontext():
                found = files[id(module)] = Eager(module, list(functions_of(program, module)))
        return found

    return eager


HOSTS = "hosts"
"""The purpose of `said_of_hosts`, for what is remembered."""


def said_of_hosts(module: ModuleInfo) -> str:
    """All that `Eager` takes from the text of a file before it is asked about a function, as a text.

    That is what its functions call and hand on by the names of functions of the file, and what they do for the host; a
    function that does neither makes no difference until it is asked about.
    """
    body = top_level(module.ir)
    functions = [s for s in statements_of(body) if isinstance(s, ir.Function)]
    waiting = [s for s in statements_of(body) if isinstance(s, ir.Class)]
    while waiting:
        cls = waiting.pop(0)
        functions += [s for s in statements_of(cls.body) if isinstance(s, ir.Function)]
        waiting += [s for s in statements_of(cls.body) if isinstance(s, ir.Class)]
    names = {function.name for function in functions}
    found: list[object] = [sorted(fact(module.ir, _hooks_of))]
    for function in functions:
        calls = fact(function, calls_in)
        called = {(call.func.__class__.__name__, _of_self(call.func), last_name(call.func)) for call in calls}
        by_name = sorted(one for one in called if one[2] in names)
        one = [
            by_name,
            sorted(_called(calls) & names),
            sorted(_handed_to_loaders(calls)),
            sorted(set(work_of(module, calls))),
            changes_model(calls),
            sorted(fact(function, called_over_data) & {*names, "backward"}),
        ]
        if any(one):
            found.append([function.qualname, *one])
    return repr(found)


def _of_self(func: ir.Expr) -> bool:
    return isinstance(func, ir.Attr) and isinstance(func.value, ir.Name) and func.value.id in ("self", "cls")


def drives(cls: ClassInfo) -> bool:
    """Whether a class is host code in part, as a trainer or a pipeline is: a method reads, draws, or trains on data."""
    methods = [(method, fact(method.node, calls_in)) for method in cls.methods()]
    return any(works_on_host(method, calls) and not trains_once(method, calls) for method, calls in methods)


def _belongs_to_host(function: FunctionInfo) -> bool:
    """Whether the class or the return annotation says so."""
    return _is_of_host_class(function) or _promises(function, _PLAIN)


def _promises(function: FunctionInfo, plain: frozenset[str]) -> bool:
    """Whether the return annotation is one of these classes."""
    returns = function.node.returns
    return returns is not None and last_name(returns) in plain


def _is_of_host_class(function: FunctionInfo) -> bool:
    """Whether a framework calls the methods of the class outside of the model, or the method prepares its object."""
    owner = function.owner
    if owner is not None:
        names = {c.node.name if isinstance(c, ClassInfo) else c.rpartition(".")[2] for c in owner.mro[1:]}
        if names & _HOST_BASES or any(name.endswith(_HOST_ENDINGS) for name in names):
            return True
        sets_up = bool(function.node.stores) and not _returns_value(function.node.body)
        writes = annotated_with_tensors(function) and fact(function.node, _writes_items)
        if sets_up and not writes and not owner.is_module and not owner.is_autograd_function:
            return True  # a method that gives nothing back and stores prepares its object
    return False


def _writes_items(node: ir.Function) -> bool:
    """Whether a method writes into what its object holds: `self.table[rows] = x`, which is work for a device."""
    for s in all_statements(node.body):
        targets = s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.AugAssign) else ()
        if any(isinstance(one, ir.Index) and dotted_name(one.value).startswith("self.") for one in targets):
            return True
    return False


def _computes(node: ir.Function) -> bool:
    """Whether the body calls anything but conversions."""
    return any(last_name(call.func) not in _CONVERSIONS for call in calls_in(node))


def _sets_up(node: ir.Function) -> bool:
    """Whether the body is that of a program: it seeds, compiles what it then calls, or makes the optimizer of a model.

    An optimizer of a tensor that the body makes is part of a computation, as in attacks.
    """
    names = [dotted_name(call.func) for call in calls_in(node)]
    last = {name.rpartition(".")[2] for name in names}
    return "manual_seed" in last or "torch.compile" in names or ("parameters" in last and any(map(_optimizes, names)))


def _optimizes(dotted: str) -> bool:
    """Whether a call by this name makes an optimizer; `optim.step()` is a call of one."""
    return dotted.startswith(("optim.", "torch.optim.")) and dotted.rpartition(".")[2][:1].isupper()


def _hands_over(function: FunctionInfo) -> bool:
    """Whether the body hands plain values back."""
    return fact(function.node, _returns_plain)


def _returns_plain(node: ir.Function) -> bool:
    return _returns(node, _TO_HOST, _NUMBERS | {"str"})


def _returns_arrays(node: ir.Function) -> bool:
    """Whether the body hands arrays, images or texts back, which other code of the host takes."""
    return _returns(node, _TO_HOST - _TO_NUMBERS, frozenset({"str"}))


def _returns(node: ir.Function, methods: frozenset[str], functions: frozenset[str]) -> bool:
    values = (s.value for s in all_statements(node.body) if isinstance(s, ir.Return) and s.value is not None)
    return any(_ends_in(value, methods, functions) for value in values)


def _ends_in(value: ir.Expr, methods: frozenset[str], functions: frozenset[str]) -> bool:
    """Whether a returned expression ends on the host: `x.item()`, `y.cpu().numpy()`, `float(z)`."""
    if isinstance(value, ir.Display) and value.kind in ("tuple", "list"):
        return any(_ends_in(one, methods, functions) for one in value.items)
    if not isinstance(value, ir.Call):
        return False
    if isinstance(value.func, ir.Name):
        return value.func.id in functions
    return last_name(value.func) in methods


def _returns_value(body: ir.Body) -> bool:
    return any(
        (isinstance(s, ir.Return) and s.value is not None and not _is_none(s.value))
        or (isinstance(s, ir.Raise) and len(body) == 1)
        for s in statements_of(body)
    )


def _is_none(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and value.value is None


def _called(calls: Iterable[ir.Call]) -> set[str]:
    """The last names of what calls call or pass on."""
    found: set[str] = set()
    for call in calls:
        found.add(last_name(call.func))
        found.update(a.id for a in call.args if isinstance(a, ir.Name))
    return found


def _handed_to_loaders(calls: Iterable[ir.Call]) -> Iterator[str]:
    """Functions that calls hand to a data loader as hooks."""
    for call in calls:
        for key, value in call.keywords:
            if key in _HOOK_KEYWORDS and isinstance(value, (ir.Name, ir.Attr)):
                yield last_name(value)


def _hooks_of(module: ir.Module) -> frozenset[str]:
    """What the top level of a module hands to data loaders."""
    return frozenset(name for s in statements_of(module.body) for name in _handed_to_loaders(calls_of(s)))
