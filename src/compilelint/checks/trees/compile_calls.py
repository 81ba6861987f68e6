"""CL804, CL805, CL812, CL813, CL822: calls that compile, as they are written: their place, and their arguments.

What happens to each argument was measured on torch 2.13 on the CPU; the rule pages show it. What hides in `**settings`
is not guessed at.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

import libcst as cst

from compilelint.checks import cudagraphs, misuse, payoff
from compilelint.checks.trees.tree_rule import (
    TreeRule,
    argument,
    dotted,
    is_literal,
    is_name,
    last_name,
    names_in,
    text_of,
    within,
)
from compilelint.model import Confidence, Doubt, Safety
from compilelint.project.compile_modes import records_cuda_graphs
from compilelint.survey.compile_uses import compile_calls
from compilelint.survey.scopes import Scope
from compilelint.syntax import ir
from compilelint.torchfacts.settings import settings

# Every mode of every torch since 2.0; `lite` came with 2.10.
_BACKENDS = ("inductor", "aot_eager", "eager", "cudagraphs", "eager_noexcept", "onnxrt", "openxla", "tensorrt")
_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")
# They log a warning, "ignoring extra kwargs", and go on; `mode="default"` is not even handed to them.
_OPTIONLESS_BACKENDS = frozenset({"eager", "eager_noexcept", "aot_eager", "aot_eager_decomp_partition", "cudagraphs"})
_REPEATED = frozenset({"forward", "__call__", "training_step", "validation_step", "predict_step"})
# Methods that serve one request each, by the class that frameworks ask for.
_SERVING = {
    "BaseHTTPRequestHandler": frozenset({"do_GET", "do_POST", "do_PUT"}),
    "BasePredictor": frozenset({"predict"}),  # cog
    "BaseHandler": frozenset({"handle", "preprocess", "inference", "postprocess"}),  # TorchServe
    "LitAPI": frozenset({"decode_request", "predict", "encode_response"}),  # LitServe
}
_DESCRIPTORS = frozenset({"classmethod", "property", "functools.cached_property"})
_KEYWORDS = (
    "model",
    "fullgraph",
    "dynamic",
    "backend",
    "mode",
    "options",
    "disable",
    "name",
    "recompile_limit",
    "isolate_recompiles",
    "shapes_spec",
)  # of `torch.compile` up to 2.13
_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "route", "api_route", "websocket"})


class CompileRule(TreeRule):
    """Hands on the calls that compile, `torch.compile` under any of its names and `compile` of a model made here."""

    scope: Scope
    call: ir.Call

    def visit_Call(self, node: cst.Call) -> None:
        scope, call = self.expression(node) or (None, None)
        if scope is not None and isinstance(call, ir.Call) and any(compile_calls([(scope, call)])):
            named = ((one.keyword.value, one.value) for one in node.args if one.keyword is not None)
            self.scope, self.call = scope, call
            self.compiles(node, {name: value for name, value in named if not is_name(value, "None")})

    def compiles(self, node: cst.Call, given: dict[str, cst.BaseExpression]) -> None:
        """Look at a call, and those of its keywords that are not None; `scope` and `call` are what the engine has."""

    def model(self, node: cst.Call) -> cst.BaseExpression | None:
        """What `torch.compile` is given; the first argument of `torch._dynamo.optimize` is a backend."""
        return argument(node, 0, "model") if self.qualified_name(node.func) == "torch.compile" else None

    def in_raises(self) -> bool:
        """Whether a `with pytest.raises(...)` or `assertRaises` stands around."""
        block = self.inside(cst.With)
        return block is not None and any("aises" in last_name(item.item) for item in block.items)

    def is_discarded(self) -> bool:
        """Whether the call is a statement, and not there to raise."""
        statement = self.around(cst.BaseSmallStatement, cst.Call)
        return isinstance(statement, cst.Expr) and self.inside(cst.Try) is None and not self.in_raises()


def _words(name: str, otherwise: str = "the model") -> str:
    """What a message speaks of: by its name, where it has one."""
    return f"`{name}`" if name else otherwise


class ResultDiscarded(CompileRule):
    """`torch.compile(model)` as a statement."""

    rule = misuse.RESULT_DISCARDED

    def compiles(self, node: cst.Call, given: dict[str, cst.BaseExpression]) -> None:
        model = self.model(node)
        if model is not None and self.is_discarded():
            name = dotted(model)
            self.report(
                node,
                f"the compiled version of {_words(name)} is discarded",
                confidence=Confidence.CERTAIN,
                why="`torch.compile` returns a new object and does not change its argument, so nothing is compiled.",
                help=f"keep it: `{name} = torch.compile({name})`, or use `{name}.compile()`"
                if name
                else "keep what it returns, and call that: `compiled = torch.compile(...)`",
            )


class CompileRepeated(CompileRule):
    """`torch.compile` in a loop or in a method that runs for every batch."""

    rule = misuse.COMPILE_REPEATED

    def compiles(self, node: cst.Call, given: dict[str, cst.BaseExpression]) -> None:
        model, where = self.model(node), self._where()
        if model is None or not where or self.is_discarded() or self._is_another(node, model):
            return
        backend = given.get("backend")
        fresh = isinstance(backend, cst.Lambda) or (
            isinstance(backend, cst.Call) and self.qualified_name(backend.func) == "functools.partial"
        )
        when = f"in each iteration of the {where}" if "loop" in where else f"on each call of {where}"
        done = "is recompiled" if fresh else "is wrapped again"
        self.report(
            node,
            f"{_words(dotted(model))} {done} {when}",
            confidence=Confidence.CERTAIN if fresh else Doubt.REPEATED_UNSEEN.cap,
            why="The backend is a new object each time, and compiled code is cached by backend, so everything "
            "recompiles."
            if fresh
            else "The compiled code is reused, but wrapping costs 0.4 to 2 ms a call, more than a small graph.",
            help="call `torch.compile` once, before the loop or in `__init__`, and keep what it returns",
        )

    def _where(self) -> str:
        """Where the call runs again and again: in words, else empty. What an `if` guards may run once."""
        head = isinstance(
            self.around(cst.BaseCompoundStatement, cst.BaseSmallStatement), (cst.FunctionDef, cst.ClassDef)
        )
        if head or self.inside(cst.If) is not None or self.around(cst.IfExp, cst.Lambda) is not None:
            return ""
        loop, function, owner = self.inside(cst.For, cst.While), self.inside(cst.FunctionDef), self.scope.owner
        if loop is not None:
            return "`for` loop" if isinstance(loop, cst.For) else "`while` loop"
        if function is None:
            return ""
        if any(is_name(one.decorator, "property") for one in function.decorators):
            return f"the property `{self.scope.qualname}`"
        name, bases = function.name.value, () if owner is None else owner.external_bases
        if name in _REPEATED and owner is not None and (owner.is_module or any("Module" in base for base in bases)):
            return f"`{self.scope.qualname}`"
        serves = any(name in _SERVING.get(base.rpartition(".")[2], ()) for base in bases)
        return f"`{self.scope.qualname}`, which runs for every request" if serves or _is_route(function) else ""

    def _is_another(self, node: cst.Call, model: cst.BaseExpression) -> bool:
        """Whether it is another thing in each round: regional compilation, or a sweep over settings."""
        loop = self.inside(cst.For, cst.While)
        if loop is None:
            return isinstance(model, cst.Lambda)
        if isinstance(model, cst.Call) and last_name(model.func)[:1].isupper():
            return True  # a module is made in each round
        changing = set(_bound_in(loop))
        return any(name in changing for name in names_in(node))


def _is_route(function: cst.FunctionDef) -> bool:
    """Whether a decorator makes a function the endpoint of a path: `@app.post("/predict")`."""
    calls = [one.decorator for one in function.decorators if isinstance(one.decorator, cst.Call)]
    return any(
        isinstance(one.func, cst.Attribute)
        and one.func.attr.value in _ROUTES
        and (text_of(argument(one, 0, "path", "rule")) or "").startswith("/")
        for one in calls
    )


def _bound_in(loop: cst.For | cst.While) -> Iterator[str]:
    """Names that a loop binds: its targets, and whatever is assigned or defined in its body."""
    for one in within(loop, cst.For, cst.Assign, cst.With, cst.FunctionDef, cst.ClassDef):
        if isinstance(one, (cst.FunctionDef, cst.ClassDef)):
            yield one.name.value
        elif isinstance(one, cst.With):
            yield from (last_name(item.asname.name) for item in one.items if item.asname is not None)
        else:
            targets = [one.target] if isinstance(one, cst.For) else [target.target for target in one.targets]
            yield from (name for target in targets for name in names_in(target))


class RefusedArgument(CompileRule):
    """`torch.compile(m, mode="max-autotune", options={...})`."""

    rule = payoff.REFUSED_ARGUMENT
    fixes = Safety.UNSAFE

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """`@torch.compile` above `@classmethod`, which makes an object that cannot be called."""
        for above, below in zip(node.decorators, node.decorators[1:], strict=False):
            made = above.decorator.func if isinstance(above.decorator, cst.Call) else above.decorator
            inner = self.qualified_name(below.decorator) or dotted(below.decorator)
            if self.qualified_name(made) != "torch.compile":
                continue
            if inner in _DESCRIPTORS:
                why = f"`torch.compile` raises: what `{inner}` gives cannot be called."
            elif inner == "staticmethod":
                why = "What `torch.compile` gives is bound like a method: an instance is passed as its first argument."
            else:
                continue
            self.report(
                above.decorator,
                f"`torch.compile` is applied to a `{inner}`",
                confidence=Confidence.CERTAIN if inner in _DESCRIPTORS else Doubt.CALLED_BY_INSTANCE.cap,
                why=why,
                help=f"change the order: `@{inner}` goes above `@torch.compile`",
                fix={above.decorator: below.decorator, below.decorator: above.decorator},
            )

    def compiles(self, node: cst.Call, given: dict[str, cst.BaseExpression]) -> None:
        if self.in_raises():
            return
        mode, options, dynamic = given.get("mode"), given.get("options"), given.get("dynamic")
        word = text_of(mode)
        sure = Confidence.CERTAIN if is_literal(mode) else Doubt.ARGUMENT_MAY_BE_NONE.cap
        if mode is not None and isinstance(options, cst.Dict) and not self._may_be_none(mode):
            self.report(
                mode,
                "`mode` and `options` are given together",
                confidence=sure,
                why="`torch.compile` raises: a mode is a set of options, and it takes one or the other.",
                help="keep one: `torch._inductor.list_mode_options(mode)` lists the options that a mode stands for",
            )
        if mode is not None and word is not None and word not in _MODES:
            self.report(
                mode,
                f"there is no mode `{word}`",
                confidence=Confidence.CERTAIN,
                why="`torch.compile` raises on a mode it does not know.",
                help=f"use one of {', '.join(_MODES[:4])}",
            )
        self._misspelt(given.get("backend"))
        if self.qualified_name(node.func) == "torch.compile":
            self._unknown_keywords(given)
            self._beside_the_model(node)
        if mode is None and ("backend" not in given or text_of(given["backend"]) == "inductor"):
            self._unknown_options(options)
        for one in options.elements if isinstance(options, cst.Dict) else ():
            if isinstance(one, cst.DictElement) and isinstance(one.value, cst.Dict) and one.value.elements:
                first = one.value.elements[0]
                inner = text_of(first.key) if isinstance(first, cst.DictElement) else None
                name = text_of(one.key) or "the option"
                self.report(
                    one.value,
                    f"the option `{name}` holds a dict",
                    confidence=Confidence.CERTAIN,
                    why="`torch.compile` raises: options are flat, with the names of `torch._inductor.config` joined "
                    "by dots.",
                    help=f'write `"{name}.{inner or "name"}": ...`',
                )
        if dynamic is not None and text_of(dynamic) is not None:
            self.report(
                dynamic,
                f"`dynamic` is the text `{text_of(dynamic)}`",
                confidence=Confidence.CERTAIN,
                why="`torch.compile` raises: `dynamic` is True, False or None, which lets torch decide.",
                help="leave `dynamic` out to let torch decide",
            )
        self._for_backend(given)

    def _unknown_keywords(self, given: dict[str, cst.BaseExpression]) -> None:
        """Keywords that are nearly one of `torch.compile`'s; a later torch may take any other."""
        for name, value in given.items():
            plain = name.replace("_", "").lower()
            near = next((one for one in _KEYWORDS if one.replace("_", "") == plain), None)
            near = near or next(iter(get_close_matches(name, _KEYWORDS, 1, 0.8)), None)
            if near is not None and name not in _KEYWORDS:
                self.report(
                    value,
                    f"`torch.compile` takes no argument `{name}`",
                    confidence=Confidence.CERTAIN,
                    why="Python raises TypeError when this line runs.",
                    help=f"write `{near}=...`",
                )

    def _beside_the_model(self, node: cst.Call) -> None:
        """Arguments behind the model: all others are taken by name only."""
        placed = [one for one in node.args if one.keyword is None]
        if len(placed) > 1 and not any(one.star for one in node.args):
            self.report(
                placed[1].value,
                "`torch.compile` takes one argument by place, the model",
                confidence=Confidence.CERTAIN,
                why="Python raises TypeError when this line runs.",
                help="write the name of the argument: `mode=...`, `backend=...`",
            )

    def _unknown_options(self, options: cst.BaseExpression | None) -> None:
        """Options that Inductor has in no version of torch that was read."""
        if not isinstance(options, cst.Dict):
            return
        known = {name for modules in settings().values() for name in modules.get("torch._inductor.config", ())}
        for one in options.elements:
            name = text_of(one.key) if isinstance(one, cst.DictElement) else None
            if name is None or isinstance(one.value, cst.Dict) or not known or name.replace("-", "_") in known:
                continue
            near = get_close_matches(name, known, 1, 0.6)
            self.report(
                one.value,
                f"Inductor has no option `{name}`",
                confidence=Confidence.CERTAIN,
                why="`torch.compile` raises RuntimeError on an option that it does not know.",
                help=f'write `"{near[0]}"`' if near else "leave it out: `torch._inductor.list_options()` has the names",
            )

    def _misspelt(self, backend: cst.BaseExpression | None) -> None:
        """A backend whose name is nearly one of torch's; any other may be registered elsewhere."""
        word = text_of(backend)
        near = [] if word is None or word in _BACKENDS else get_close_matches(word, _BACKENDS, 1, 0.8)
        if backend is not None and near:
            self.report(
                backend,
                f"there is no backend `{word}`",
                confidence=Confidence.CERTAIN,
                why="`torch.compile` raises InvalidBackend on a name that is not registered.",
                help=f'write `backend="{near[0]}"`',
            )

    def _for_backend(self, given: dict[str, cst.BaseExpression]) -> None:
        """A backend that is defined here, and has no parameter for what it is given."""
        backend = given.get("backend")
        takes = None if backend is None else self._parameters(backend)
        for name in ("mode", "options"):
            value = given.get(name)
            if backend is None or value is None or takes is None or name in takes or text_of(value) == "default":
                continue
            plain = is_literal(value) or isinstance(value, cst.Dict)
            self.report(
                value,
                f"{_words(dotted(backend), 'the lambda')} takes no argument `{name}`",
                confidence=Confidence.CERTAIN if plain else Doubt.ARGUMENT_MAY_BE_NONE.cap,
                why="`torch.compile` hands `mode` and `options` to the backend, which raises TypeError on the first "
                "call.",
                help=f"leave `{name}` out, or give the backend a parameter of that name",
            )

    def _parameters(self, backend: cst.BaseExpression) -> set[str] | None:
        """The parameters of a backend whose definition is at hand; None where it is not, or takes anything."""
        node = self.function(backend)
        if node is None or node.decorators or any(one.kind == "double-star" for one in node.params):
            return None
        return {one.name for one in node.params}

    def _may_be_none(self, mode: cst.BaseExpression) -> bool:
        """Whether a mode may not be given after all: a parameter, or one of two values."""
        params = () if self.scope.function is None else self.scope.function.node.params
        return isinstance(mode, cst.IfExp) or any(is_name(mode, one.name) for one in params)


class IgnoredArgument(CompileRule):
    """`torch.compile(m, backend="aot_eager", mode="reduce-overhead")`."""

    rule = payoff.IGNORED_ARGUMENT

    def compiles(self, node: cst.Call, given: dict[str, cst.BaseExpression]) -> None:
        backend = text_of(given.get("backend"))
        for name in ("mode", "options") if backend in _OPTIONLESS_BACKENDS and not self.in_raises() else ():
            value = given.get(name)
            if value is not None and (isinstance(value, cst.Dict) or text_of(value) not in (None, "default")):
                self.report(
                    value,
                    f'the backend "{backend}" ignores `{name}`',
                    confidence=Confidence.CERTAIN,
                    why="Modes and options are for Inductor; this backend logs that it ignores them.",
                    help="remove `backend`, so that Inductor uses the argument, or remove the argument",
                )


class CudagraphSizes(CompileRule):
    """`torch.compile(m, mode="reduce-overhead", dynamic=True)`."""

    rule = cudagraphs.CUDAGRAPH_SIZES

    def compiles(self, node: cst.Call, given: dict[str, cst.BaseExpression]) -> None:
        dynamic, decorated = given.get("dynamic"), self.around(cst.FunctionDef, cst.BaseSmallStatement)
        asked = dynamic is not None and is_name(dynamic, "True") and records_cuda_graphs(self.call)
        if dynamic is not None and asked and self.call.pos not in self._file.known.single_sized:
            model = argument(node, 0, "model")
            name = "" if model is None else dotted(model)
            if isinstance(decorated, cst.FunctionDef):
                name = decorated.name.value
            self.report(
                dynamic,
                f"{_words(name)} records a CUDA graph for each size it sees",
                confidence=Doubt.SIZES_UNKNOWN.cap,
                why="The code is compiled once for all sizes, but each new size records another CUDA graph.",
                help="pad inputs to a few sizes and leave `dynamic` out, or use a mode without CUDA graphs",
            )
