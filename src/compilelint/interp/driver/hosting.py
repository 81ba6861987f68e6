"""Which code is run as a host: what mentions a compile call, what calls that, and the module bodies around it.

A function is run if a word by which something is compiled stands in it, or the name of a function that holds one;
whether it really compiles anything, running it says. Functions that others of these call are run by their callers
first, which know the arguments, and by themselves only if no caller does. Everything is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from compilelint.events import Context
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.modes import HOST
from compilelint.interp.core.state import State
from compilelint.interp.core.summaries import key_of, summarize
from compilelint.model.slotted import dataclass
from compilelint.project.classes import Assigned, ClassInfo, FunctionInfo, Imported, ModuleInfo
from compilelint.project.compile_calls import FRAMEWORKS, REPEATED_BLOCKS, SWITCHES
from compilelint.project.index import Program
from compilelint.project.roots import functions_of
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import statements_of
from compilelint.values import ClassRef, FunctionRef, Object, Value

if TYPE_CHECKING:
    from compilelint.interp.driver.interpreter import Interpreter

WORDS = frozenset(
    {
        *"compile optimize optimize_assert export export_for_training explain standard_test".split(),
        *SWITCHES,
        *(name for _, name in FRAMEWORKS),
        REPEATED_BLOCKS,
    }
)
"""Last names of what compiles and keywords that ask for it; `compilers` and `frameworks` know which of them do."""

_ROUNDS = 4  # callers of callers of callers
_MOST_PENDING = 4_000
# Names that say nothing: half of a project calls something so.
_COMMON = frozenset(
    "forward __call__ __init__ main run setup step train fit call get apply update build create make load".split()
)


@dataclass(slots=True)
class _Unit:
    """A function or method outside of functions: the names in it, and those in its decorators only."""

    code: FunctionInfo
    owner: ClassInfo | None
    names: frozenset[str]
    by_decorator: frozenset[str]


@dataclass(slots=True)
class _File:
    """A module with what could be compiled or run in it. `hot` are the names that lead to a compile call."""

    module: ModuleInfo
    units: list[_Unit] = field(default_factory=list)
    hot: set[str] = field(default_factory=set)
    words: frozenset[str] = WORDS
    holders: set[str] = field(default_factory=set)  # classes with a method that does


def words_of(program: Program) -> frozenset[str]:
    """The same, with the last names of what the project says that compiles."""
    return own_words(program.compilers) | WORDS if program.compilers else WORDS


def own_words(compilers: Iterable[str]) -> frozenset[str]:
    """The last names of what a project says that compiles."""
    return frozenset(name.rpartition(".")[2] for name in compilers)


def worth_hosting(text: str, own: Iterable[str] = ()) -> bool:
    """Whether a source holds a word by which something is compiled, and not just in a longer one (`recompiled`)."""
    if any(_holds(text, word) for word in own):
        return True
    hints = ("compile", "dynamo", "torch.export", "torch.onnx")
    return any(word in text for word in hints) and any(_holds(text, word) for word in WORDS)


def _holds(text: str, word: str) -> bool:
    """Whether a word stands in a text, and not just in a longer one. No pattern: this runs over all that is linted."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        around = text[at - 1 : at] if at else "", text[end : end + 1]
        if not any(one.isalnum() or one == "_" for one in around):
            return True
        at = text.find(word, end)
    return False


def run_hosts(interp: Interpreter, modules: Iterable[ModuleInfo], hosting: Iterable[ModuleInfo]) -> None:
    """Run as hosts what may compile something; `hosting` are the modules whose text holds a word for it."""
    files = _hot_files(interp.program, list(modules), list(hosting))
    leading = interp.hosts.leading
    leading.update(id(unit.code.node) for file in files for unit in file.units if unit.names & file.hot)
    for file in files:
        _run_module(interp, file.module)
    units = [unit for file in files for unit in file.units if unit.names & file.hot]
    mentioned = {name for unit in units for name in unit.names if name != unit.code.node.name}
    for first in (True, False):
        for unit in units:
            if (unit.code.node.name not in mentioned) is first:
                _run_unit(interp, unit)
        _run_pending(interp, files)


def _hot_files(program: Program, modules: list[ModuleInfo], hosting: list[ModuleInfo]) -> list[_File]:
    """The files that hold compile calls or lead to one, with the names that do."""
    files: dict[str, _File] = {}
    words = words_of(program)
    for module in hosting:
        if not _mentions_compiling(module, words):
            continue
        file = files[module.name] = _File(module, list(_units(program, module)), set(words), words)
        _heat(file)
    for _ in range(_ROUNDS):
        grown = False
        for module in modules:
            known = files.get(module.name)
            imported = set(_imported(module, files))
            if not imported or (known is not None and imported <= known.hot):
                continue
            if known is None:
                known = files[module.name] = _File(module, list(_units(program, module)), set(words), words)
            known.hot |= imported
            _heat(known)
            grown = True
        if not grown:
            break
    return list(files.values())


def _mentions_compiling(module: ModuleInfo, words: frozenset[str]) -> bool:
    """Whether a word by which something is compiled stands in the code, not just in a comment or a longer name.

    A text counts too: `getattr(torch, "compile")`.
    """
    bodies = [module.ir.body]
    while bodies:
        for s in statements_of(bodies.pop()):
            if isinstance(s, (ir.Function, ir.Class)):
                bodies.append(s.body)
            elif isinstance(s, ir.ImportFrom) and any(name in words for name, _ in s.names):
                return True
            for e in expressions(own_expressions(s)):
                if _word_of(e) in words or (isinstance(e, ir.Call) and any(key in words for key, _ in e.keywords)):
                    return True
    return False


def _word_of(e: ir.Expr) -> str:
    if isinstance(e, ir.Name):
        return e.id
    if isinstance(e, ir.Attr):
        return e.name
    return e.value if isinstance(e, ir.Const) and isinstance(e.value, str) else ""


def _imported(module: ModuleInfo, files: dict[str, _File]) -> Iterator[str]:
    """The names of a module that come from another file and lead to a compile call there."""
    for name, found in module.bindings.items():
        for binding in found:
            if isinstance(binding, Imported):
                source = files.get(binding.module)
                if source is not None and source.module is not module:
                    if binding.name is None:
                        yield from source.hot - WORDS
                    elif binding.name in source.hot:
                        yield name
                    elif binding.name in source.holders:
                        yield from source.hot - WORDS
                if binding.name is not None:  # a module of the package, whatever its `__init__` holds
                    whole = files.get(f"{binding.module}.{binding.name}")
                    if whole is not None:
                        yield from whole.hot - WORDS


def _heat(file: _File) -> None:
    """Names of the file that lead to a compile call: bound to one, or of functions and classes that hold one."""
    for _ in range(_ROUNDS):
        before = len(file.hot)
        for name, found in file.module.bindings.items():
            for binding in found:
                renamed = isinstance(binding, Imported) and binding.name in file.words
                if renamed or (isinstance(binding, Assigned) and binding.expr and _names([binding.expr]) & file.hot):
                    file.hot.add(name)
        for unit in file.units:
            name = unit.code.node.name
            if (unit.names | unit.by_decorator) & file.hot:
                if unit.owner is not None:
                    file.holders.add(unit.owner.node.name)
                if unit.owner is not None and (name == "__init__" or name in _COMMON):
                    file.hot.add(unit.owner.node.name)
                elif name not in _COMMON or unit.owner is None:
                    file.hot.add(name)
        if len(file.hot) == before:
            return


def _units(program: Program, module: ModuleInfo) -> Iterator[_Unit]:
    for code in functions_of(program, module):
        yield _Unit(code, code.owner, _names_in(code.node.body), _names(list(code.node.decorators)))


def _names(roots: Sequence[ir.Expr]) -> frozenset[str]:
    found: set[str] = set()
    for e in expressions(roots):
        if isinstance(e, ir.Name):
            found.add(e.id)
        elif isinstance(e, ir.Attr):
            found.add(e.name)
        elif isinstance(e, ir.Call):
            found.update(key for key, _ in e.keywords if key in SWITCHES)
    return frozenset(found)


def _names_in(body: ir.Body) -> frozenset[str]:
    """Every name and attribute in a body, nested functions and classes included."""
    found: set[str] = set()
    bodies = [body]
    while bodies:
        for s in statements_of(bodies.pop()):
            found |= _names(own_expressions(s))
            if isinstance(s, (ir.Function, ir.Class)):
                bodies.append(s.body)
            elif isinstance(s, ir.ImportFrom):
                found.update(name for name, _ in s.names)
    return frozenset(found)


# --------------------------------------------------------------------- running


def _run_module(interp: Interpreter, module: ModuleInfo) -> None:
    interp.start_host()
    context = Context(module.ir, "<module>", module.linted, "<module>", "host", config=interp.config)
    frame = Frame(interp, module, context, State({}), modes=HOST)
    interp.hosts.modules[module.name] = frame
    frame.run(module.ir.body)
    frame.kept = frame.state or frame.kept
    frame.state = None


def _run_unit(interp: Interpreter, unit: _Unit) -> None:
    code = unit.code
    receiver: Value | None = None if unit.owner is None else Object(unit.owner)
    if code.decorated("staticmethod"):
        receiver = None
    elif receiver is not None and unit.owner is not None and code.decorated("classmethod"):
        receiver = ClassRef(unit.owner)
    run_host(interp, FunctionRef(code, receiver))


def run_host(interp: Interpreter, ref: FunctionRef) -> None:
    """Run a function as a host, unless it has been, with what is believed of its parameters."""
    code = ref.code
    if not isinstance(code, FunctionInfo) or interp.hosts.has_run(code, ref.closure):
        return
    interp.start_host()
    closure = ref.closure if isinstance(ref.closure, Frame) else None
    context = Context(
        code.module.ir, code.node.qualname, code.module.linted, code.node.qualname, "host", config=interp.config
    )
    frame = Frame(interp, code.module, context, State({}), code, closure, code.owner, modes=HOST)
    receiver = ref.receiver
    names = interp.parameters(frame, code, None if receiver is None else receiver)
    summarize(frame, code, names, key_of(frame, code, names))


def _run_pending(interp: Interpreter, files: list[_File]) -> None:
    """Functions that hosts made and nothing called, and methods of the classes that they made."""
    hosts = interp.hosts
    hot = {id(file.module): file.hot for file in files}
    names: dict[int, frozenset[str]] = {}

    def leads_on(code: FunctionInfo) -> bool:
        found = names.get(id(code.node))
        if found is None:
            found = names[id(code.node)] = _names_in(code.node.body)
        return bool(found & hot.get(id(code.module), WORDS))

    for _ in range(_MOST_PENDING):
        if hosts.classes:
            cls = hosts.classes.pop(0)
            if cls.closure is not None:
                hosts.pending += [FunctionRef(m, Object(cls), cls.closure) for m in cls.methods()]
        elif hosts.pending:
            ref = hosts.pending.pop(0)
            if isinstance(ref.code, FunctionInfo) and leads_on(ref.code):
                run_host(interp, ref)
        else:
            return
