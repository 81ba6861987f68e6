"""What a parameter without annotation must be, judged by what the body does with it.

`x.view(...)`, `x[:, None]`, `F.relu(x)`, `self.proj(x)` on a library layer: only tensors (or arrays, which Dynamo
traces as tensors) take part in that. `int(x)`, arithmetic and comparisons prove nothing. Names are the last resort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.project.roots import takes_tensors as annotated_with_tensors
from compilelint.syntax import ir, places
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import WITH_BLOCKS, blocks_of, dotted_name, last_name, statements_of

_NOTHING: Mapping[str, int] = MappingProxyType({})

# Methods and attributes that tensors have and that no common Python object shares.
TENSOR_ONLY = frozenset(
    """
    view permute transpose unsqueeze squeeze expand expand_as flatten reshape contiguous masked_fill
    masked_fill_ detach matmul bmm softmax log_softmax sigmoid tanh relu cuda cpu float long half bfloat16 bool
    item nonzero masked_select gather scatter scatter_ scatter_add scatter_add_ index_select repeat_interleave
    argmax argmin topk cumsum clamp clamp_ clip pow sqrt rsqrt exp log abs neg mul add sub div mul_ add_ sub_
    div_ sum mean std var prod amax amin norm new_zeros new_ones new_tensor new_full new_empty type_as
    requires_grad_ requires_grad numel size dim ndimension chunk unbind unfold narrow fill_ zero_ copy_ normal_
    uniform_ is_contiguous stride data_ptr is_floating_point ndim dtype device shape T mT eq ne lt le gt ge
    isnan isinf isfinite any all logical_not logical_and argsort round floor ceil triu tril diagonal tolist
    numpy backward grad to_sparse coalesce rot90 flip roll index_add index_add_ index_copy_ masked_scatter
    movedim swapaxes view_as reshape_as t clone
    """.split()
)
# Weaker: arrays, modules, configurations and frames have them too; one of these alone is not enough.
_SHARED = frozenset(
    """
    shape dtype device size float cuda cpu half bool sum mean std max min any all add sub pow round add_ norm
    clone grad requires_grad_ requires_grad expand long repeat log dim clip item tolist bfloat16 t T
    """.split()
)

# Those of them that arrays, frames and series lack too.
_OF_TORCH = frozenset(
    """
    permute unsqueeze expand_as masked_fill masked_fill_ bmm softmax log_softmax bfloat16 masked_select scatter
    scatter_ scatter_add scatter_add_ index_select repeat_interleave clamp_ rsqrt mul_ add_ sub_ div_ amax amin
    new_zeros new_ones new_tensor new_full new_empty type_as requires_grad_ numel chunk unbind narrow fill_ zero_ copy_
    normal_ uniform_ is_contiguous data_ptr is_floating_point index_add index_add_ index_copy_ masked_scatter view_as
    reshape_as detach contiguous backward logical_not logical_and
    """.split()
)

# Methods of which one call proves that the code computes with tensors, whatever it is called on.
_COMPUTING = frozenset(
    """
    view permute unsqueeze squeeze masked_fill masked_fill_ detach matmul bmm softmax log_softmax repeat_interleave
    masked_select type_as expand_as view_as contiguous cumsum argmax requires_grad_ nonzero index_select
    """.split()
)

# What these give is a tensor if, and only if, they are called on one.
_SAME_KIND = frozenset("clone to cpu cuda float half double long int bool contiguous detach".split())

# What comparisons of tensors have, and those of numbers, arrays and frames do not.
_OF_COMPARISONS = frozenset("to float double half long int bool type type_as unsqueeze nonzero".split())

# Called, these are a tensor's; read, they are settings, or the sizes of arrays and images.
_CALLED = frozenset({"size", "dim"})

# Names that model code gives to tensors and to nothing else.
TENSOR_NAMES = frozenset(
    """
    x y z xs inp inputs input tensor hidden_states hidden_state hidden input_ids inputs_embeds attention_mask
    position_ids pixel_values image images img imgs feat feats features feature query key value q k v queries
    keys values_ logits labels targets_ target mask masks residual embeddings embeds embedding
    encoder_hidden_states sample timestep timesteps noise latents latent boxes scores weights_ weight bias emb a
    b src tgt memory lengths seq_lens token_type_ids past_key_value_states context cond token_ids tokens audio
    waveform spec mel cu_seqlens grad_output grad_out grad
    """.split()
)


_BESIDE_KEYS = frozenset({"q", "v", "query", "queries", "value", "values"})


def named_like_a_tensor(function: FunctionInfo, parameter: ir.Param) -> bool:
    """Whether a parameter has a name that model code gives to tensors; a `k` without its `q` or `v` is a number."""
    if parameter.name == "k":
        return any(other.name in _BESIDE_KEYS for other in function.node.params)
    return parameter.name in TENSOR_NAMES


def evidence(function: FunctionInfo) -> dict[str, str]:
    """For each parameter that the body treats as a tensor: in words, how we know. Found once a function."""
    bound = function.owner is not None and not function.decorated("staticmethod")
    return fact(function.node, _evidence_of_method if bound else _evidence_of_function)


def _evidence_of_function(node: ir.Function) -> dict[str, str]:
    return _collect(node.body, {p.name for p in node.params})


def _evidence_of_method(node: ir.Function) -> dict[str, str]:
    return _collect(node.body, {p.name for p in node.params} - {p.name for p in node.params[:1]})


def evidence_of_items(function: FunctionInfo) -> dict[str, str]:
    """For each variable that takes an item out of something and that the body treats as a tensor: how we know.

    `a, b = batch`, `a = batch[0]`, `for a in batch`: what holds the items may be unknown, and their use still speaks.
    """
    return fact(function.node, _evidence_of_items)


def _evidence_of_items(node: ir.Function) -> dict[str, str]:
    taken = _items_taken(node.body)
    return _collect(node.body, set(taken), taken) if taken else {}


def evidence_of_results(function: FunctionInfo) -> dict[str, str]:
    """For each variable that only calls bind and that the body uses as nothing but a tensor of torch: how we know."""
    return fact(function.node, _evidence_of_results)


def _evidence_of_results(node: ir.Function) -> dict[str, str]:
    called: set[str] = set()
    other: set[str] = set()
    for s in statements_of(node.body):
        for target in s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.For) else ():
            is_call = isinstance(s, ir.Assign) and isinstance(s.value, ir.Call) and isinstance(target, ir.Name)
            (called if is_call else other).update(names_bound(target))
    names = called - other
    found: dict[str, str] = {}
    for e in expressions_of(node.body) if names else ():
        if isinstance(e, ir.Attr) and isinstance(e.value, ir.Name) and e.value.id in names and e.name in _OF_TORCH:
            found[e.value.id] = f"only tensors have `.{e.name}`"
    return found


def evidence_of_attributes(cls: ClassInfo) -> dict[str, str]:
    """For each attribute of `self` that the methods of a class use as nothing but a tensor of torch: how we know."""
    found: dict[str, str] = {}
    for c in cls.mro:
        if isinstance(c, ClassInfo):
            for method in c.methods():
                found.update(fact(method.node, _attributes_shown))
    return found


def _attributes_shown(node: ir.Function) -> dict[str, str]:
    own = node.params[0].name if node.params else ""
    found: dict[str, str] = {}
    for e in expressions_of(node.body):
        if isinstance(e, ir.Attr) and e.name in _OF_TORCH and isinstance(e.value, ir.Attr):
            held = e.value
            if dotted_name(held.value) == own:
                found[held.name] = f"only tensors have `.{e.name}`"
    return found


def _items_taken(body: ir.Body) -> dict[str, int]:
    """Variables that are bound to an item of something, and the last line of the first such statement."""
    found: dict[str, int] = {}
    other: set[str] = set()
    bodies = [body]
    while bodies:
        for s in bodies.pop(0):
            bodies.extend(blocks_of(s))
            for name, is_item in _bound_names(s):
                if is_item and name not in other:
                    found.setdefault(name, places.line_of(s.pos) if isinstance(s, ir.For) else places.unpack(s.pos)[2])
                elif name not in found:
                    other.add(name)
    return found


def _bound_names(s: ir.Stmt) -> Iterator[tuple[str, bool]]:
    """The names that a statement binds, each with whether it takes an item out of something."""
    if isinstance(s, ir.For):
        yield from ((name, True) for name in names_bound(s.target))
    elif isinstance(s, ir.Assign):
        for target in s.targets:
            if isinstance(target, ir.Name):
                yield target.id, isinstance(s.value, ir.Index) and isinstance(s.value.index, ir.Const)
            elif isinstance(target, ir.Display):
                paired = isinstance(s.value, ir.Display) and len(s.value.items) == len(target.items)
                values = s.value.items if paired and isinstance(s.value, ir.Display) else ()
                for i, one in enumerate(target.items):
                    value = values[i] if paired else None
                    is_item = not paired or (isinstance(value, ir.Index) and isinstance(value.index, ir.Const))
                    yield from ((name, is_item) for name in names_bound(one))


def names_bound(target: ir.Expr) -> Iterator[str]:
    """The names in a target: `a`, or those of `a, (b, c)`."""
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Display):
        for item in target.items:
            yield from names_bound(item)


def computes(expr: ir.Expr) -> bool:
    """Whether a call is one of a tensor's own methods, or of a function of torch that takes tensors."""
    if not isinstance(expr, ir.Call) or not isinstance(expr.func, ir.Attr):
        return False
    if expr.func.name in _COMPUTING:
        return True
    called = dotted_name(expr.func)
    return (
        called.startswith(("torch.", "F.")) and called.count(".") == 1 and called not in _ANYTHING and bool(expr.args)
    )


def names_used(function: FunctionInfo) -> frozenset[str]:
    """Attribute names that the body mentions anywhere."""
    return fact(function.node, _attributes)


def _attributes(node: ir.Function) -> frozenset[str]:
    return frozenset(e.name for e in expressions_of(node.body) if isinstance(e, ir.Attr))


def names_called(function: FunctionInfo) -> frozenset[str]:
    """The last names of what the body calls: `m.encode(x)` calls `encode`."""
    return fact(function.node, _names_called)


def _names_called(node: ir.Function) -> frozenset[str]:
    return frozenset(last_name(e.func) for e in expressions_of(node.body) if isinstance(e, ir.Call))


class _Names:
    """Which parameter a name stands for at a line: itself, or what was assigned to it, until it is bound again."""

    def __init__(self, body: ir.Body, params: set[str], first_bound: Mapping[str, int]) -> None:
        self._first_bound = first_bound
        self._stands_for = {name: name for name in params}
        self._bound: dict[str, list[tuple[int, tuple[_Lines, ...]]]] = {}
        self._moved: dict[str, list[tuple[int, tuple[_Lines, ...]]]] = {}  # bound to itself elsewhere: `x = x.to(y)`
        waiting: list[tuple[ir.Body, tuple[_Lines, ...]]] = [(body, ())]
        while waiting:
            block, spared = waiting.pop(0)
            for s in block:
                blocks = blocks_of(s)
                if isinstance(s, ir.If):
                    lines = [_lines_of(b) for b in blocks]
                    waiting += [(b, (*spared, *lines[i + 1 :])) for i, b in enumerate(blocks)]
                else:
                    waiting += [(b, spared) for b in blocks]
                self._binds(s, spared)

    def _binds(self, s: ir.Stmt, spared: tuple[_Lines, ...]) -> None:
        if not isinstance(s, (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.For)):
            return
        value = s.value.id if isinstance(s, ir.Assign) and isinstance(s.value, ir.Name) else ""
        end = places.unpack(s.pos)[2] if not isinstance(s, ir.For) else places.line_of(s.pos)
        for target in s.targets if isinstance(s, ir.Assign) else (s.target,):
            if isinstance(target, ir.Name) and target.id not in self._stands_for and self.parameter(value, end):
                self._stands_for[target.id] = self._stands_for[value]
                continue
            for one in target.items if isinstance(target, ir.Display) else (target,):
                if isinstance(one, ir.Name) and one.id in self._stands_for and end != self._first_bound.get(one.id):
                    moved = isinstance(s, ir.Assign) and one is target and _moves(s.value) == one.id
                    (self._moved if moved else self._bound).setdefault(one.id, []).append((end, spared))

    def parameter(self, name: str, line: int, *, moved: bool = False) -> str:
        """The parameter; empty where the name means something else by then. The other arms of a test do not count.

        With `moved` also where it means the same on another device or in another dtype, which modules have too.
        """
        if name not in self._stands_for:
            return ""
        for end, spared in (*self._bound.get(name, ()), *(() if moved else self._moved.get(name, ()))):
            if line > end and not any(first <= line <= last for first, last in spared):
                return ""
        return self._stands_for[name]


def _moves(expr: ir.Expr) -> str:
    """The name that an expression gives in another form, a tensor if it is one: `x` of `x.to("cpu").float()`."""
    moves = False
    while isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name in _SAME_KIND:
        expr, moves = expr.func.value, True
    return expr.id if moves and isinstance(expr, ir.Name) else ""


_Lines: TypeAlias = tuple[int, int]


def _lines_of(body: ir.Body) -> _Lines:
    """The first and the last line of a block; no line of an empty one."""
    if not body:
        return 1, 0
    last, blocks = 0, [body]
    while blocks:
        for s in blocks.pop():
            last = max(last, places.unpack(s.pos)[2])
            blocks.extend(blocks_of(s))
    return places.line_of(body[0].pos), last


def _compared(expr: ir.Compare) -> str:
    """The name that a comparison is about: `x` in `x > 0`, `x[mask] == y` and `0 < x`."""
    side = expr.rights[0] if isinstance(expr.left, ir.Const) else expr.left
    if isinstance(side, ir.Index):
        side = side.value
    return side.id if isinstance(side, ir.Name) else ""


def _subject(expr: ir.Expr) -> str:
    """The name that an expression would be evidence about: `x` in `x.detach`, `x[...]` and `x.clone().detach`."""
    if isinstance(expr, (ir.Attr, ir.Index)):
        holder = expr.value
        if isinstance(expr, ir.Attr) and isinstance(holder, ir.Compare):
            return _compared(holder) if expr.name in _OF_COMPARISONS else ""
        while isinstance(expr, ir.Attr) and isinstance(holder, ir.Call) and isinstance(holder.func, ir.Attr):
            if holder.func.name not in _SAME_KIND:
                return ""
            holder = holder.func.value
        return holder.id if isinstance(holder, ir.Name) else ""
    if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name in _CALLED:
        return _subject(expr.func)
    if isinstance(expr, ir.Call) and expr.args and isinstance(expr.args[0], ir.Name):
        return expr.args[0].id
    return ""


def _collect(body: ir.Body, params: set[str], first_bound: Mapping[str, int] = _NOTHING) -> dict[str, str]:
    found: dict[str, str] = {}
    weak: dict[str, set[str]] = {}
    names = _Names(body, params, first_bound)
    for expr in expressions_of(body):
        if expr.__class__ not in _DESCRIPTIVE:
            continue
        filled = _filled(expr)
        if filled and names.parameter(filled, places.line_of(expr.pos)):
            found.setdefault(filled, "filled by `out=`")
        subject = _subject(expr)
        line = places.line_of(expr.pos)
        name = names.parameter(subject, line) if subject else ""
        same = name or (names.parameter(subject, line, moved=True) if subject else "")
        if isinstance(expr, ir.Binary) and expr.op == "@":
            for side in (expr.left, expr.right):
                if isinstance(side, ir.Name) and side.id in params:
                    found.setdefault(side.id, "operand of `@`")
        elif not same or same in found:
            continue
        elif isinstance(expr, ir.Attr) and expr.name in _SHARED and _is_plain(expr):
            if name:  # a module that is moved has some of these names as well
                weak.setdefault(name, set()).add(expr.name)
        elif shown := _shown_by(expr):
            found[same] = shown
    for name, attributes in weak.items():
        if name not in found and len(attributes) >= 2:
            found[name] = "used as a tensor (" + ", ".join(f"`.{a}`" for a in sorted(attributes)[:2]) + ")"
    return found


def _is_plain(attribute: ir.Attr) -> bool:
    """Whether the attribute is one of a value, not of a comparison, which says more."""
    return attribute.name in TENSOR_ONLY and not isinstance(attribute.value, ir.Compare)


def _filled(expr: ir.Expr) -> str:
    """The name that an operation of torch writes its result to by `out=`; empty for any other expression."""
    if not isinstance(expr, ir.Call) or not expr.keywords or not dotted_name(expr.func).startswith("torch."):
        return ""
    filled = next((value for key, value in expr.keywords if key == "out"), None)
    return filled.id if isinstance(filled, ir.Name) else ""


def _shown_by(expr: ir.Expr) -> str:
    """How an expression shows that what it reads is a tensor; empty where it does not."""
    if isinstance(expr, ir.Attr):
        if isinstance(expr.value, ir.Compare):
            return f"only comparisons of tensors have `.{expr.name}`"
        return f"only tensors have `.{expr.name}`" if expr.name in TENSOR_ONLY else ""
    if isinstance(expr, ir.Index):
        return "indexed like a tensor" if _is_tensor_index(expr.index) else ""
    if not isinstance(expr, ir.Call):
        return ""
    if isinstance(expr.func, ir.Attr) and expr.func.name in _CALLED:
        return f"only tensors have `.{expr.func.name}()`"
    called = dotted_name(expr.func)
    return f"passed to `{called}`" if _takes_a_tensor(called) else ""


_DESCRIPTIVE = frozenset((ir.Attr, ir.Binary, ir.Call, ir.Index))
"""What may say of a name that it is a tensor: a third of all expressions."""


def _takes_a_tensor(called: str) -> bool:
    """Whether the first argument of a call is a tensor: an operation of torch, and not a class or a tool of it."""
    module, _, name = called.rpartition(".")
    return module in _OF_OPERATIONS and not name[:1].isupper() and called not in _ANYTHING


_OF_OPERATIONS = frozenset("torch F nn.functional torch.nn.functional torch.linalg torch.fft torch.special".split())
_ANYTHING = frozenset(
    """
    torch._check torch.arange torch.as_tensor torch.asarray torch.atleast_1d torch.atleast_2d torch.atleast_3d
    torch.autocast torch.bartlett_window torch.blackman_window torch.block_diag torch.broadcast_shapes
    torch.broadcast_tensors torch.can_cast torch.cartesian_prod torch.cat torch.column_stack torch.compile torch.concat
    torch.concatenate torch.cond torch.device torch.dstack torch.einsum torch.empty torch.empty_permuted
    torch.empty_strided torch.eye torch.finfo torch.from_file torch.from_numpy torch.frombuffer torch.full
    torch.get_device_module torch.hamming_window torch.hann_window torch.hstack torch.iinfo torch.is_storage
    torch.is_tensor torch.kaiser_window torch.linspace torch.load torch.logspace torch.manual_seed torch.meshgrid
    torch.no_grad torch.normal torch.numel torch.ones torch.promote_types torch.rand torch.randint torch.randn
    torch.randperm torch.range torch.row_stack torch.save torch.scalar_tensor torch.set_autocast_enabled
    torch.set_default_device torch.set_default_dtype torch.set_float32_matmul_precision torch.set_grad_enabled
    torch.set_num_threads torch.set_printoptions torch.sparse_coo_tensor torch.stack torch.sym_float torch.sym_int
    torch.sym_max torch.sym_min torch.sym_not torch.sym_sum torch.tensor torch.tril_indices torch.triu_indices
    torch.typename torch.use_deterministic_algorithms torch.vmap torch.vstack torch.while_loop torch.zeros
    torch.linalg.multi_dot torch.fft.fftfreq torch.fft.rfftfreq
    """.split()
)


def _is_tensor_index(index: ir.Expr) -> bool:
    """`x[:, 0]`, `x[..., 1]`, `x[None]`: lists and dicts take none of these."""
    if isinstance(index, ir.Display) and index.kind == "tuple":
        return any(isinstance(i, ir.Slice) or _is_index_mark(i) for i in index.items)
    return _is_index_mark(index)


def _is_index_mark(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and (expr.value is None or expr.value is Ellipsis)


def expressions_of(body: ir.Body) -> Iterator[ir.Expr]:
    """Every expression in a body, nested functions not entered; iterative."""
    bodies = [body]
    while bodies:
        for s in bodies.pop():
            if s.__class__ in WITH_BLOCKS:
                bodies.extend(blocks_of(s))
            stack: list[ir.Expr] = [e for e in _roots_of(s) if e is not None]
            while stack:
                e = stack.pop()
                yield e
                children = _CHILDREN.get(e.__class__)
                if children is not None:
                    stack.extend(children(e))


def _roots_of(s: ir.Stmt) -> tuple[ir.Expr | None, ...]:
    if isinstance(s, ir.Assign):
        return (*s.targets, s.value)
    if isinstance(s, (ir.AugAssign, ir.AnnAssign)):
        return (s.target, s.value)
    if isinstance(s, (ir.ExprStmt, ir.Return)):
        return (s.value,)
    if isinstance(s, ir.If):
        return tuple([t for t, _ in s.arms])
    if isinstance(s, ir.For):
        return (s.target, s.iterable)
    if isinstance(s, (ir.While, ir.Assert)):
        return (s.test,)
    if isinstance(s, ir.With):
        return tuple([e for e, _ in s.items])
    return ()


# What stands directly in an expression; a table, since most programs are names and attributes of names.
_CHILDREN: dict[type[Any], Callable[[Any], Iterable[ir.Expr]]] = {
    ir.Attr: lambda e: (e.value,),
    ir.Call: lambda e: (e.func, *e.args, *[v for _, v in e.keywords]) if e.keywords else (e.func, *e.args),
    ir.Binary: lambda e: (e.left, e.right),
    ir.Unary: lambda e: (e.operand,),
    ir.BoolOp: lambda e: e.values,
    ir.Compare: lambda e: (e.left, *e.rights),
    ir.Index: lambda e: (e.value, e.index),
    ir.Slice: lambda e: [b for b in (e.lower, e.upper, e.step) if b is not None],
    ir.Display: lambda e: e.items,
    ir.IfExp: lambda e: (e.test, e.then, e.other),
    ir.DictDisplay: lambda e: e.values,
    ir.Star: lambda e: (e.value,),
    ir.Walrus: lambda e: (e.value,),
    ir.Comp: lambda e: (e.element, *[c.iterable for c in e.clauses]),
}


def takes_tensors(function: FunctionInfo) -> bool:
    """Whether tensors go in: by an annotation, by what the body does to a parameter, or by what it computes at all."""
    return annotated_with_tensors(function) or bool(evidence(function)) or _computes(function)


def _computes(function: FunctionInfo) -> bool:
    """Whether the body does what only tensors take part in, with values that may come from the parameters."""
    return fact(function.node, _computes_with_parameters)


def _computes_with_parameters(node: ir.Function) -> bool:
    given = [p for p in node.params if p.name not in ("self", "cls")]
    return bool(given) and any(computes(e) for e in expressions_of(node.body))
