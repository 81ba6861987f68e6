"""The factories to try for a model, the likeliest first: as the project's own code calls it, then by its settings."""

from __future__ import annotations

import ast
import itertools
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from compilelint.session.building.bindings import default_of
from compilelint.session.building.guesses import guess
from compilelint.session.building.makers import Maker, Site, makers_of, sites_of
from compilelint.session.building.slices import Project, Slice, UnresolvedError
from compilelint.session.building.sources import Source, own_nodes
from compilelint.session.building.unread import names_read, needed

_MOST_CANDIDATES = 6
_MOST_SITES = 40
_MOST_CALLS = 4
_CONFIGURATIONS = frozenset(
    "args cfg cfgs conf config configs configuration hparams hp hps opt options opts params".split()
)
_WIDEST = 88
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A factory to try: its `body` is a function without a head, `shown_in` says where it was found.

    `folders` must be on `sys.path`, as seen from the project's folder. `called` says that it returns inputs, too;
    `assumed` names the values that nothing in the project says.
    """

    body: str
    shown_in: str
    folders: tuple[str, ...] = ()
    called: bool = False
    assumed: tuple[str, ...] = ()

    def text(self, name: str) -> str:
        """The factory as a function."""
        more = f" and {len(self.assumed) - _MOST_NAMED} more" if len(self.assumed) > _MOST_NAMED else ""
        assumed = f"; guesses: {', '.join(self.assumed[:_MOST_NAMED])}{more}" if self.assumed else ""
        return f'def {name}():\n    """{self.shown_in}{assumed}."""\n{textwrap.indent(self.body, "    ")}\n'


def candidates(cls: ast.ClassDef, home: Source, sources: Sequence[Source], project: Project) -> list[Candidate]:
    """What to try for a class, without repetition."""
    makers = makers_of(cls, home, sources)
    found: list[Candidate] = []
    for site in itertools.islice(sites_of(makers, sources), _MOST_SITES):
        for reads_data in (True, False):
            try:
                found.append(_as_called(site, cls, Slice(project, site.source, reads_data=reads_data)))
            except (UnresolvedError, RecursionError):
                continue
    found.sort(key=lambda one: (not one.called, len(one.assumed)))
    found = _different(found)[: _MOST_CANDIDATES - 2]
    return _different([*found, *_without_arguments(makers), *_by_settings(makers[0], cls, project)])[:_MOST_CANDIDATES]


def _different(found: Iterable[Candidate]) -> list[Candidate]:
    """The first of those with the same body."""
    seen: dict[str, Candidate] = {}
    for one in found:
        seen.setdefault(one.body, one)
    return [*seen.values()]


# -------------------------------------------------------------- as it is called


def _as_called(site: Site, cls: ast.ClassDef, slice_: Slice) -> Candidate:
    """The model as one call makes it. Raises UnresolvedError."""
    line = site.call.lineno
    func = slice_.expression(site.call.func, site.chain, line)
    call = ast.Call(func, *_arguments(slice_, site))
    inputs = next(_inputs(slice_, site), None)
    where = f"As in {site.source.path}:{line}" if site.source.module else f"As in {site.source.path}"
    return _candidate(slice_, call, inputs, where, cls)


def _arguments(slice_: Slice, site: Site) -> tuple[list[ast.expr], list[ast.keyword]]:
    """The arguments of the call; what has no value in the project gets one by the parameter's name."""
    function = site.maker.function
    names = [] if function is None else [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    if isinstance(site.maker.node, ast.ClassDef):
        names = names[1:]
    line = site.call.lineno
    args: list[ast.expr] = []
    for position, argument in enumerate(site.call.args):
        value = slice_.tried(argument, site.chain, line)
        if value is None and isinstance(argument, ast.Starred):
            raise UnresolvedError("*")
        args.append(value if value is not None else _assumed(slice_, (*names, *["?"] * 99)[position]))
    keywords = []
    for keyword in site.call.keywords:
        value = slice_.tried(keyword.value, site.chain, line)
        if value is None and keyword.arg is None:
            raise UnresolvedError("**")
        keywords.append(ast.keyword(keyword.arg, value or _assumed(slice_, keyword.arg or "")))
    return args, keywords


def _assumed(slice_: Slice, name: str) -> ast.expr:
    """The value of a parameter that no line of the project gives it."""
    if name in _CONFIGURATIONS:
        raise UnresolvedError(name)
    try:
        return slice_.setting(name)
    except UnresolvedError:
        slice_.assumed.append(name)
        return _expression(guess(name))


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _inputs(slice_: Slice, site: Site) -> Iterator[ast.Call]:
    """Calls of the instance that can be copied, as calls of what their function is called there."""
    for call in [*_instance_calls(site)][:_MOST_CALLS]:
        line = call.lineno
        args = [slice_.tried(one, site.chain, line) for one in call.args]
        named = [(one.arg, slice_.tried(one.value, site.chain, line)) for one in call.keywords]
        if (args or named) and all(one is not None for one in args) and all(name and value for name, value in named):
            keywords = [ast.keyword(name, value) for name, value in named if value is not None]
            yield ast.Call(call.func, [one for one in args if one is not None], keywords)


def _instance_calls(site: Site) -> Iterator[ast.Call]:
    scope = site.chain[-1]
    names = set()
    for node in own_nodes(scope):
        if isinstance(node, ast.Call) and node.func is site.call:
            yield node
        if isinstance(node, ast.Assign) and any(one is site.call for one in ast.walk(node.value)):
            names.add(ast.unparse(node.targets[0]))
    for node in own_nodes(scope):
        if isinstance(node, ast.Call) and node.lineno > site.call.lineno and ast.unparse(node.func) in names:
            yield node


# ------------------------------------------------------------ without a call site


def _without_arguments(makers: Sequence[Maker]) -> Iterator[Candidate]:
    """Functions that return the model and ask for nothing."""
    for maker in makers[1:]:
        given = maker.node.args if isinstance(maker.node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
        if given is None or len(given.posonlyargs + given.args) > len(given.defaults) or None in given.kw_defaults:
            continue
        body = f"from {maker.home.module} import {maker.node.name}\n\nreturn {maker.node.name}()"
        yield Candidate(body, f"As {maker.home.path}:{maker.node.lineno} returns it")


def _by_settings(maker: Maker, cls: ast.ClassDef, project: Project) -> Iterator[Candidate]:
    """The class with what settings and defaults of the project say of its parameters, small sizes for the rest."""
    function = maker.function
    given = [] if function is None else [*function.args.posonlyargs, *function.args.args][1:] + function.args.kwonlyargs
    for known in (True, False):
        slice_ = Slice(project, maker.home)
        slice_.imports[f"from {maker.home.module} import {cls.name}"] = None
        keywords = []
        for one in given:
            if function is not None and default_of(function, one.arg) is None:
                value = _configuration(slice_, one, cls) or (_assumed if known else _small)(slice_, one.arg)
                keywords.append(ast.keyword(one.arg, value))
        call = ast.Call(ast.Name(cls.name, ast.Load()), [], keywords)
        yield _candidate(slice_, call, None, "By what the project's settings say" if known else "Small", cls)


def _small(slice_: Slice, name: str) -> ast.expr:
    slice_.assumed.append(name)
    return _expression(guess(name))


def _configuration(slice_: Slice, parameter: ast.arg, cls: ast.ClassDef) -> ast.expr | None:
    """A configuration for a parameter that attributes are read of: its class's own defaults, or a namespace."""
    read = [one for one in names_read([cls], parameter.arg) if one]
    if parameter.arg not in _CONFIGURATIONS and len(read) < 2:
        return None
    annotation = parameter.annotation
    if annotation is not None:
        value = slice_.tried(annotation, (slice_.source.tree,), parameter.lineno)
        if isinstance(value, (ast.Name, ast.Attribute)):
            return ast.Call(value, [], [])
    slice_.names[id(cls), parameter.arg] = parameter.arg
    slice_.statements.append(ast.Assign([ast.Name(parameter.arg, ast.Store())], _namespace()))
    slice_.spaces[parameter.arg] = ""
    return ast.Name(parameter.arg, ast.Load())


# --------------------------------------------------------------------- as text


def _candidate(slice_: Slice, call: ast.Call, inputs: ast.Call | None, where: str, cls: ast.ClassDef) -> Candidate:
    last: list[ast.AST] = [call, *([inputs] if inputs is not None else [])]
    slice_.statements = needed(slice_.statements, last)
    nodes = [*slice_.statements, *last]
    for name, path in slice_.spaces.items():
        _filled(slice_, name, path, cls, nodes)
    spaces = ["from types import SimpleNamespace"] if slice_.spaces else []
    used = {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}
    imports = [line for line in slice_.imports if _bound_by(line) in used]
    lines = [*sorted({*imports, *spaces}, key=_import_order), "", *map(_text, slice_.statements)]
    if inputs is None:
        lines.append(f"return {_text(call)}")
    else:
        given = _text(ast.Tuple([*inputs.args], ast.Load()))
        pairs = ", ".join(f"{one.arg!r}: {_text(one.value)}" for one in inputs.keywords)
        named = f", {{{pairs}}}" if pairs else ""
        lines += [f"model = {_text(call)}", f"return model, {given}{named}"]
    folders = tuple(slice_.folders)
    return Candidate("\n".join(lines), where, folders, inputs is not None, tuple(dict.fromkeys(slice_.assumed)))


def _filled(slice_: Slice, name: str, path: str, cls: ast.ClassDef, nodes: Sequence[ast.AST]) -> None:
    """Give the namespace `name` the attributes that are read of it."""
    options = slice_.project.settings.options_for(path)
    read = [*dict.fromkeys(names_read(nodes, name))]
    if "" in read:  # handed on as a whole: what the model reads of any configuration
        given = {*_CONFIGURATIONS, name}
        inside = [attr for one in sorted(given) for attr in (*names_read([cls], one), *_own_read(cls, one)) if attr]
        read = [*dict.fromkeys(one for one in (*read, *inside) if one)]
    keywords = []
    for attribute in read:
        text = options.get(attribute, "None")
        if text == "None":
            text = slice_.project.settings.values.get(attribute, "")
        if not text and attribute not in options:
            slice_.assumed.append(f"{name}.{attribute}")
            text = guess(attribute)
        keywords.append(ast.keyword(attribute, _expression(text or "None")))
    for statement in slice_.statements:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name:
            statement.value = ast.Call(ast.Name("SimpleNamespace", ast.Load()), [], keywords)
            return


def _own_read(cls: ast.ClassDef, name: str) -> Iterator[str]:
    """The attributes that are read of `self.NAME`."""
    for node in ast.walk(cls):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == f"self.{name}":
            yield node.attr


def _namespace() -> ast.expr:
    return ast.Call(ast.Name("SimpleNamespace", ast.Load()), [], [])


def _bound_by(line: str) -> str:
    """The name that an import binds."""
    return line.partition("import ")[2].rpartition(" as ")[2].partition(".")[0]


def _import_order(line: str) -> tuple[bool, str]:
    return line.startswith("from "), line


def _text(node: ast.AST) -> str:
    """A node as source text; a call that is too wide for one line with an argument a line."""
    text = ast.unparse(ast.fix_missing_locations(node))
    value = node.value if isinstance(node, ast.Assign) else node
    if len(text) <= _WIDEST or not isinstance(value, ast.Call):
        return text
    head = f"{ast.unparse(node.targets[0])} = " if isinstance(node, ast.Assign) else ""
    given = [*map(ast.unparse, value.args), *(ast.unparse(one) for one in value.keywords)]
    return f"{head}{ast.unparse(value.func)}(\n" + "".join(f"    {one},\n" for one in given) + ")"
