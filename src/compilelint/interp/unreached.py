"""Which functions are worth starting from although nothing that is known to be compiled reaches them.

Tensors go through them, and nothing says that they belong to the host: they hand no plain numbers or arrays back, read
and write no files, draw nothing, train nothing, are no hooks of a data loader and no tests. Decided by what a function
does and who calls it, never by how it is called.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator

from compilelint.interp import usage
from compilelint.project.classes import ClassInfo, FunctionInfo, Imported, ModuleInfo
from compilelint.project.index import Program
from compilelint.project.roots import functions_of
from compilelint.project.roots import takes_tensors as annotated_with_tensors
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name, last_name, statements_of

# Packages whose use marks host code: files, figures, progress, command lines, logs of runs.
_HOST_PACKAGES = frozenset(
    """
    PIL argparse csv cv2 glob h5py imageio io json matplotlib mlflow multiprocessing os pandas pathlib pickle
    plotly pytest safetensors seaborn shutil skimage sklearn soundfile subprocess tempfile tensorboard
    tensorboardX tqdm unittest urllib wandb yaml zipfile
    """.split()
)
# Methods that read, write or train, whatever they are called on.
_HOST_METHODS = frozenset(
    """
    add_image add_scalar backward from_pretrained imread imsave load_state_dict makedirs save_pretrained savefig to_csv
    tofile zero_grad
    """.split()
)
# Functions that do, by package and last name; `open` is Python's own.
_HOST_FUNCTIONS = {
    "torch": frozenset({"load", "save"}),
    "numpy": frozenset({"load", "save", "savez"}),
    "": frozenset({"open"}),
}
# What a value goes through on its way to the host.
_TO_HOST = frozenset({"item", "tolist", "numpy", "fromarray"})
_PLAIN = frozenset({"float", "int", "bool", "str", "ndarray", "Image", "Figure", "Path", "bytes"})
# Classes whose methods a framework calls outside of the model.
_HOST_BASES = frozenset(
    """
    ABCMeta BaseDataset BatchSampler Callback DataLoader DataModule Dataset IterableDataset LightningDataModule Metric
    Optimizer Sampler TestCase Logger LRScheduler _LRScheduler PreTrainedTokenizer PreTrainedTokenizerFast
    """.split()
)
_HOOK_KEYWORDS = frozenset({"collate_fn", "worker_init_fn", "batch_sampler", "sampler", "target_transform"})


class Eager:
    """What is known of the host code of a file: its hooks, and which functions only host code calls."""

    def __init__(self, module: ModuleInfo, functions: Iterable[FunctionInfo]) -> None:
        self.is_test = _is_test(module)
        self._hosts: dict[int, _Host] = {}
        self._callers: dict[str, list[FunctionInfo]] = {}
        self._hooks: set[str] = set()
        self._calls: dict[int, tuple[ir.Call, ...]] = {}
        if self.is_test:
            return
        for function in functions:
            calls = self._calls[id(function.node)] = fact(function.node, _calls_in)
            for name in _called(calls):
                self._callers.setdefault(name, []).append(function)
            self._hooks.update(_handed_to_loaders(calls))
        self._hooks.update(fact(module.ir, _hooks_of))

    def is_host(self, function: FunctionInfo) -> bool:
        """Whether a function is host code, by what it does or because nothing else calls it."""
        return self.is_test or function.node.name in self._hooks or self._kind(function, 0) is not _Host.NONE

    def _kind(self, function: FunctionInfo, depth: int) -> _Host:
        known = self._hosts.get(id(function.node))
        if known is not None:
            return known
        self._hosts[id(function.node)] = _Host.NONE  # functions that call each other settle nothing
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
        calls = self._calls.get(id(function.node))
        if calls is None:
            calls = fact(function.node, _calls_in)
        return _Host.DRIVES if _works_on_host(function, calls) else _Host.NONE


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
        return takes_tensors(function) and not eager(function.module).is_host(function)

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
            found = files[id(module)] = Eager(module, functions_of(program, module))
        return found

    return eager


def drives(cls: ClassInfo) -> bool:
    """Whether a class is host code in part, such as a trainer or a pipeline: a method reads, draws or trains."""
    return any(_works_on_host(method, fact(method.node, _calls_in)) for method in cls.methods())


def _is_test(module: ModuleInfo) -> bool:
    """Whether a file holds tests: named and placed as test runners look for them."""
    parts = module.ir.path.split("/")
    name = parts[-1]
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py" or "tests" in parts[-3:-1]


def _belongs_to_host(function: FunctionInfo) -> bool:
    """Whether the class or the return annotation says so."""
    owner = function.owner
    if owner is not None:
        names = {c.node.name if isinstance(c, ClassInfo) else c.rpartition(".")[2] for c in owner.mro[1:]}
        if names & _HOST_BASES:
            return True
        sets_up = bool(function.node.stores) and not _returns_value(function.node.body)
        if sets_up and not owner.is_module and not owner.is_autograd_function:
            return True  # a method that gives nothing back and stores prepares its object
    returns = function.node.returns
    return returns is not None and last_name(returns) in _PLAIN


def _hands_over(function: FunctionInfo) -> bool:
    """Whether the body hands plain values back."""
    return fact(function.node, _returns_plain)


def _returns_plain(node: ir.Function) -> bool:
    return any(
        isinstance(s, ir.Return) and s.value is not None and _to_host(s.value) for s in _all_statements(node.body)
    )


def _works_on_host(function: FunctionInfo, calls: Iterable[ir.Call]) -> bool:
    """Whether the body, whose calls these are, reads, writes, draws or trains, or initialises parameters."""
    module = function.module
    for call in calls:
        name, dotted = last_name(call.func), dotted_name(call.func)
        if name in _HOST_METHODS:
            return True
        package = _package(module, dotted)
        if dotted and (name in _HOST_FUNCTIONS.get(package, ()) and ("." in dotted or name == "open")):
            return True
        if dotted.startswith(("os.environ", "os.getenv")):
            continue
        if package in _HOST_PACKAGES or ".init." in f".{dotted}":
            return True
    return False


def _package(module: ModuleInfo, dotted: str) -> str:
    """The package that a dotted name comes from; empty for what the file defines itself."""
    for binding in module.bindings.get(dotted.partition(".")[0], ()):
        if isinstance(binding, Imported):
            return binding.module.partition(".")[0]
    return ""


def _to_host(value: ir.Expr) -> bool:
    """Whether a returned expression ends on the host: `x.item()`, `y.cpu().numpy()`, `float(z)`."""
    if isinstance(value, ir.Display) and value.kind in ("tuple", "list"):
        return bool(value.items) and any(_to_host(one) for one in value.items)
    if not isinstance(value, ir.Call):
        return False
    if isinstance(value.func, ir.Name):
        return value.func.id in ("float", "int", "str", "bool")
    return last_name(value.func) in _TO_HOST


def _returns_value(body: ir.Body) -> bool:
    return any(
        (isinstance(s, ir.Return) and s.value is not None and not _is_none(s.value))
        or (isinstance(s, ir.Raise) and len(body) == 1)
        for s in statements_of(body)
    )


def _is_none(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and value.value is None


def _all_statements(body: ir.Body) -> Iterator[ir.Stmt]:
    """Every statement, those of nested functions included."""
    bodies = [body]
    while bodies:
        for s in statements_of(bodies.pop()):
            yield s
            if isinstance(s, ir.Function):
                bodies.append(s.body)


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
    return frozenset(name for s in statements_of(module.body) for name in _handed_to_loaders(_calls(s)))


def _calls_in(node: ir.Function) -> tuple[ir.Call, ...]:
    """The calls in a body, those of nested functions included."""
    return tuple([call for s in _all_statements(node.body) for call in _calls(s)])


def _calls(s: ir.Stmt) -> Iterator[ir.Call]:
    """The calls in a statement, blocks in it not entered."""
    return (e for e in expressions(own_expressions(s)) if isinstance(e, ir.Call))


def takes_tensors(function: FunctionInfo) -> bool:
    """Whether tensors go in: by an annotation, by what the body does to a parameter, or by what it computes at all."""
    return annotated_with_tensors(function) or bool(usage.evidence(function)) or _computes(function)


def _computes(function: FunctionInfo) -> bool:
    """Whether the body does what only tensors take part in, with values that may come from the parameters."""
    return fact(function.node, _computes_with_parameters)


def _computes_with_parameters(node: ir.Function) -> bool:
    given = [p for p in node.params if p.name not in ("self", "cls")]
    return bool(given) and any(usage.computes(e) for e in usage.expressions_of(node.body))
