"""Work of the host: files, figures, command lines, runs of training, random state, and changes to a model.

A function does it by what its body calls, or because it calls a function of its file that does: what reads a file in
the end is eager code as a whole. Does not belong here: which functions only host code calls (`unreached`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from compilelint.project.classes import FunctionInfo, Imported, ModuleInfo
from compilelint.survey.scopes import calls_among, own_expressions
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
# Of them those that compute as well: a function that calls one of their users may be worth compiling.
_COMPUTING = frozenset("PIL cv2 json pandas skimage sklearn tqdm urllib".split())
# Methods that read, write or train, whatever they are called on.
_HOST_METHODS = frozenset(
    """
    add_image add_scalar backward from_pretrained imread imsave load_state_dict makedirs save_pretrained savefig to_csv
    tofile zero_grad
    """.split()
)
# Of them those of a step of training.
_TRAINING = frozenset({"backward", "zero_grad"})
# Functions that do, by package and last name; `open` is Python's own.
_HOST_FUNCTIONS = {
    "torch": frozenset(
        """
        load save get_rng_state set_rng_state all_gather_object broadcast_object_list gather_object
        scatter_object_list
        """.split()
    ),
    "numpy": frozenset({"load", "save", "savez"}),
    "": frozenset({"open"}),
}
# What goes through the layers and parameters of a model, and what changes them.
_WALKS = frozenset("children get_submodule modules named_children named_modules named_parameters parameters".split())
_CHANGES = frozenset({"requires_grad_", "setattr"})


def working_on_host(
    bodies: Sequence[tuple[FunctionInfo, tuple[ir.Call, ...]]],
    computing: Container[int] = (),
    looping: Container[int] = (),
) -> set[int]:
    """The identities of the definitions in a file that work on the host; `bodies` are its functions and their calls.

    A caller is as eager as what it calls, unless that only computes with a library of the host (OpenCV). What the
    bodies of `computing` (identities) do themselves does not count; those of `looping` work on the host all the same.
    """
    by_name: dict[str, list[FunctionInfo]] = {}
    for function, _ in bodies:
        by_name.setdefault(function.node.name, []).append(function)
    callers: dict[int, list[int]] = {}
    todo: list[int] = []
    found: set[int] = set()
    for function, calls in bodies:
        node = id(function.node)
        work = set() if node in computing else set(work_of(function.module, calls))
        if work - _COMPUTING or changes_model(calls) or node in looping:
            todo.append(node)
        elif work:
            found.add(node)
        for call in calls:
            for callee in _callees(function, call.func, by_name):
                callers.setdefault(id(callee.node), []).append(node)
    eager: set[int] = set()
    while todo:
        node = todo.pop()
        if node not in eager:
            eager.add(node)
            todo += callers.get(node, ())
    return found | eager


def _callees(caller: FunctionInfo, func: ir.Expr, by_name: dict[str, list[FunctionInfo]]) -> Iterator[FunctionInfo]:
    """The functions of the same file that a call names: a plain name, or a method of the caller's own class."""
    if isinstance(func, ir.Name):
        yield from (one for one in by_name.get(func.id, ()) if one.owner is None)
    elif isinstance(func, ir.Attr) and isinstance(func.value, ir.Name) and func.value.id in ("self", "cls"):
        owner = caller.owner
        if owner is not None:
            yield from (one for one in by_name.get(func.name, ()) if one.owner in owner.mro)


def changes_model(calls: Sequence[ir.Call]) -> bool:
    """Whether the body goes through the layers or parameters of a model and changes them."""
    names = {last_name(call.func) for call in calls}
    return bool(names & _WALKS and names & _CHANGES)


def steps_of_training(bodies: Sequence[tuple[FunctionInfo, tuple[ir.Call, ...]]]) -> set[int]:
    """The definitions in a file that make one step of training or of an attack, by themselves or by what they call.

    A step computes gradients of what it is called with, and people compile it whole. What repeats steps over data reads
    the data as well, which is eager code.
    """
    steps = {id(function.node) for function, calls in bodies if trains_once(function, calls)}
    if not steps:
        return steps
    led = working_on_host(bodies) - working_on_host(bodies, steps)
    names = {function.node.name for function, _ in bodies if id(function.node) in led}
    looping = {id(function.node) for function, _ in bodies if names & fact(function.node, called_over_data)}
    return led - working_on_host(bodies, steps, looping)


def trains_once(function: FunctionInfo, calls: Sequence[ir.Call]) -> bool:
    """Whether the host work of a body is one step of training: it computes gradients, and in no loop over data."""
    work = set(work_of(function.module, calls))
    return bool(work) and work <= _TRAINING and "backward" not in fact(function.node, called_over_data)


def called_over_data(node: ir.Function) -> frozenset[str]:
    """The last names of what is called in loops over something other than a range of numbers."""
    return frozenset(
        last_name(call.func)
        for s in all_statements(node.body)
        if isinstance(s, ir.For) and not (isinstance(s.iterable, ir.Call) and last_name(s.iterable.func) == "range")
        for inner in all_statements(s.body)
        for call in calls_of(inner)
    )


def works_on_host(function: FunctionInfo, calls: Iterable[ir.Call]) -> bool:
    """Whether the body, whose calls these are, reads, writes, draws or trains, or initialises parameters."""
    return any(True for _ in work_of(function.module, calls))


def work_of(module: ModuleInfo, calls: Iterable[ir.Call]) -> Iterator[str]:
    """The packages whose use marks host code, and the methods and functions that do."""
    for call in calls:
        name, dotted = last_name(call.func), dotted_name(call.func)
        if name in _HOST_METHODS:
            yield name
        package = _package(module, dotted)
        if dotted and (name in _HOST_FUNCTIONS.get(package, ()) and ("." in dotted or name == "open")):
            yield name
        if dotted.startswith(("os.environ", "os.getenv")):
            continue
        if package in _HOST_PACKAGES:
            yield package
        elif ".init." in f".{dotted}":
            yield "init"


def _package(module: ModuleInfo, dotted: str) -> str:
    """The package that a dotted name comes from; empty for what the file defines itself."""
    for binding in module.bindings.get(dotted.partition(".")[0], ()):
        if isinstance(binding, Imported):
            return binding.module.partition(".")[0]
    return ""


def all_statements(body: ir.Body) -> Iterator[ir.Stmt]:
    """Every statement, those of nested functions included."""
    bodies = [body]
    while bodies:
        for s in statements_of(bodies.pop()):
            yield s
            if isinstance(s, ir.Function):
                bodies.append(s.body)


def calls_in(node: ir.Function) -> tuple[ir.Call, ...]:
    """The calls in a body, those of nested functions included."""
    own, nested = fact(node, own_calls)
    if not nested:
        return own
    found, waiting = list(own), list(nested)
    while waiting:
        own, nested = fact(waiting.pop(), own_calls)
        found += own
        waiting += nested
    return tuple(found)


def own_calls(node: ir.Function) -> tuple[tuple[ir.Call, ...], tuple[ir.Function, ...]]:
    """The calls in a body, nested functions not entered, and those functions."""
    found: list[ir.Call] = []
    nested: list[ir.Function] = []
    for s in statements_of(node.body):
        found += calls_of(s)
        if isinstance(s, ir.Function):
            nested.append(s)
    return tuple(found), tuple(nested)


def calls_of(s: ir.Stmt) -> list[ir.Call]:
    """The calls in a statement, blocks in it not entered."""
    return calls_among(own_expressions(s))
