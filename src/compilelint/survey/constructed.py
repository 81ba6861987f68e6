"""What the scripts of a project make and call, by name: classes and functions that their code leads to.

A project begins at what runs when its files are executed: statements of the top level, which hold the calls of scripts
and the registries of factories, functions called `main`, what a decorator that takes arguments registers, and what a
package exports. From there every name that a body mentions leads to what is defined under that name anywhere, and a
text (`"pkg.models.Net"`, the key of a registry) to what its last part names. So a name that two files share counts for
both, and what is said to be made by nothing is mentioned nowhere that runs.
Does not belong here: which findings this changes (`session.pipeline.made`); what a call compiles.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from compilelint.model.slotted import dataclass
from compilelint.project.file_kinds import is_benchmark, is_test
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name

_BEGIN = frozenset({"main", "cli"})
# Decorators with arguments that say how a function runs, not that others find it.
_HOW = frozenset(
    """
    no_grad inference_mode enable_grad set_grad_enabled lru_cache cache wraps contextmanager autocast custom_fwd
    custom_bwd script ignore unused export compile disable dataclass overload deprecated jit checkpoint property
    """.split()
)
# Calls that make an object of a class that another file names: a configuration, an argument of the command line.
_BY_CONFIGURATION = frozenset(
    "import_module instantiate instantiate_from_config locate LightningCLI get_class get_object build_from_cfg".split()
)


@dataclass(slots=True)
class Unit:
    """A definition of the top level: what it mentions; `is_layer` says that it is a class of models or their parts."""

    mentions: tuple[str, ...]
    is_layer: bool
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Constructed:
    """`reached` are the names that scripts lead to, `outside` those of them that not only layers mention."""

    defined: frozenset[str]
    reached: frozenset[str]
    outside: frozenset[str]

    def is_made(self, name: str) -> bool:
        """Whether what scripts run leads to a class or function; so does what is not defined at any top level."""
        return name in self.reached or name not in self.defined

    def is_part(self, name: str) -> bool:
        """Whether it is mentioned in layers alone: others are built of it, and no script or factory makes it."""
        return name in self.reached and name in self.defined and name not in self.outside


def constructed(modules: Iterable[ir.Module], exported: bool, words: Collection[str] | None) -> Constructed | None:
    """What the scripts among the files lead to, as `Definitions` are given and asked."""
    found = Definitions(exported)
    for module in modules:
        found.read(module)
    return found.reached(words)


class Definitions:
    """What the top levels of a project define, and what these mention; no node of the files is held on to."""

    def __init__(self, exported: bool) -> None:
        """`exported` says that the project is installed as a package, so that what its packages import is for its
        users.
        """
        self._exported = exported
        self._units: dict[str, list[Unit]] = {}
        self._start: set[str] = set()
        self._by_configuration = False

    def read(self, module: ir.Module) -> None:
        """Take in one more file."""
        if is_test(module.path) or is_benchmark(module.path):
            return
        for name, unit in _units(module):
            self._units.setdefault(name, []).append(unit)
            self._by_configuration = self._by_configuration or not _BY_CONFIGURATION.isdisjoint(unit.mentions)
            if name in _BEGIN:
                self._start.add(name)
        top = set(_at_top_level(module))
        self._start |= top
        self._by_configuration = self._by_configuration or not _BY_CONFIGURATION.isdisjoint(top)
        if self._exported and module.is_package:
            self._start |= _imported(module)

    def reached(self, words: Collection[str] | None) -> Constructed | None:
        """What the scripts lead to; None where nothing runs, or where configurations decide it unseen.

        `words` are those of the configuration files of the project, None where there are none.
        """
        units = self._units
        runs = self._start & units.keys()
        if not runs:
            return None
        if self._by_configuration:
            if words is None:
                return None
            runs |= units.keys() & set(words)
        reached, outside = set(runs), set(runs)
        waiting = list(runs)
        while waiting:
            for unit in units[waiting.pop()]:
                named = units.keys() & set(unit.mentions)
                if not _of_layers(unit, units):
                    outside |= named
                waiting.extend(named - reached)
                reached |= named
        return Constructed(frozenset(units), frozenset(reached), frozenset(outside))


def _units(module: ir.Module) -> Iterator[tuple[str, Unit]]:
    for s, _ in statements(module.body):
        if isinstance(s, (ir.Function, ir.Class)):
            if isinstance(s, ir.Class):
                yield s.name, Unit(_words_of(s), _is_layer(s), tuple(last_name(base) for base in s.bases))
            else:
                yield s.name, Unit(_words_of(s), is_layer=False)


def _of_layers(unit: Unit, units: Mapping[str, Sequence[Unit]]) -> bool:
    """Whether a class is a layer, or derives from one of the project."""
    waiting, seen = [unit], set[str]()
    while waiting:
        one = waiting.pop()
        if one.is_layer:
            return True
        above = [base for base in one.bases if base not in seen]
        seen.update(above)
        waiting.extend(found for base in above for found in units.get(base, ()))
    return False


def _is_layer(cls: ir.Class) -> bool:
    """Whether a class is one that models are built of; what has a `forward` and trains itself is called by a loop."""
    methods = {s.name for s, _ in statements(cls.body) if isinstance(s, ir.Function)}
    return "forward" in methods and "training_step" not in methods


def _words_of(definition: ir.Function | ir.Class) -> tuple[str, ...]:
    """The names in a definition, each once and each one object for all files: of a large project they are many."""
    return tuple([sys.intern(name) for name in set(_mentioned(definition))])


def _mentioned(definition: ir.Function | ir.Class) -> Iterator[str]:
    """The names in a definition, its decorators and bases, and all that is defined in it."""
    yield from _names(own_expressions(definition))
    waiting: list[ir.Body] = [definition.body]
    while waiting:
        for s, _ in statements(waiting.pop()):
            if isinstance(s, (ir.Function, ir.Class)):
                waiting.append(s.body)
            yield from _names(own_expressions(s))


def _at_top_level(module: ir.Module) -> Iterator[str]:
    """The names in what runs when a file is executed or imported, and the definitions that a decorator registers."""
    for s, _ in statements(module.body):
        if isinstance(s, (ir.Function, ir.Class)):
            if any(_registers(one) for one in s.decorators):
                yield s.name
        elif not (isinstance(s, ir.Assign) and any(last_name(t) == "__all__" for t in s.targets)):
            yield from _names(own_expressions(s))


def _registers(decorator: ir.Expr) -> bool:
    return isinstance(decorator, ir.Call) and last_name(decorator.func) not in _HOW


def _names(roots: Iterable[ir.Expr]) -> Iterator[str]:
    for expr in expressions(list(roots)):
        if isinstance(expr, ir.Name):
            yield expr.id
        elif isinstance(expr, ir.Attr):
            yield expr.name
        elif isinstance(expr, ir.Const) and isinstance(expr.value, str) and len(expr.value) < _LONGEST:
            last = expr.value.rpartition(".")[2].rpartition(":")[2]
            if last.isidentifier():
                yield last


_LONGEST = 200


def _imported(module: ir.Module) -> set[str]:
    """The names that a package imports, by which its users know them."""
    return {name for s, _ in statements(module.body) if isinstance(s, ir.ImportFrom) for name, _ in s.names}
