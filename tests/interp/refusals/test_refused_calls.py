"""Calls that Dynamo refuses for what they are given: each form, and one beside it that is traced."""

from __future__ import annotations

import pytest

from compilelint.interp.refusals import refused_calls
from compilelint.interp.refusals.refused_calls import TABLE
from tests.support.worker_messages import check

HEAD = """
        import collections, dataclasses, itertools, re, traceback
        from torch._dynamo.comptime import comptime
        PATTERN = re.compile("a+")

        def shown(match):
            return "b"

        class Thing:
            def shown(self, match):
                return "b"

        o_thing = Thing()

        @dataclass
        class Held:
            a: object

        class Own(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return x.sin()

            @staticmethod
            def setup_context(ctx, inputs, output):
                pass
"""
REFUSED = (
    ("y = hasattr(np.sum, 'reduce')", "builtins.hasattr"),
    ("y = hasattr(slice(0, 2), 'shape')", "builtins.hasattr"),
    ("y = getattr(o, f'a{x.sum()}', 2)", "builtins.getattr"),
    ("setattr(o, f'a{x.max()}', 2)", "builtins.setattr"),
    ("y = itertools.groupby([1, 2], abs)", "itertools.groupby"),
    ("y = itertools.groupby([x, x], key=torch.max)", "itertools.groupby"),
    ("y = itertools.groupby([x, x], key=lambda t: t.sum())", "itertools.groupby"),
    ("y = itertools.combinations_with_replacement([1, 2], 2)", "itertools.combinations_with_replacement"),
    ("y = dataclasses.asdict(Held(x))", "dataclasses.asdict"),
    ("y = dataclasses.astuple(Held(x))", "dataclasses.astuple"),
    ("y = ImportError('a', name='b')", "builtins.ImportError"),
    ("y = ModuleNotFoundError('a', name='b')", "builtins.ModuleNotFoundError"),
    ("y = AttributeError('a', name='b')", "builtins.AttributeError"),
    ("y = NameError('a', name='b')", "builtins.NameError"),
    (
        "try: raise ValueError('a')\n            except ValueError: y = traceback.format_exc()",
        "traceback.format_exc in except",
    ),
    ("y = random.Random(x=3)", "random.Random"),
    ("y = np.add.outer(x.numpy(), x.numpy())", "numpy.add.outer"),
    ("y = np.maximum.accumulate(x.numpy())", "numpy.maximum.accumulate"),
    ("y = np.iinfo(x.numpy())", "numpy.iinfo"),
    ("y = np.asarray(['a', 'b'])", "numpy.asarray"),
    ("y = collections.namedtuple('P', 'a b', defaults=[x])", "collections.namedtuple"),
    ("y = torch.nested.nested_tensor(x, layout=torch.jagged)", "torch.nested.nested_tensor"),
    ("y = torch.vmap(Own.apply)(x)", "torch.vmap"),
    ("y = torch.func.vmap(Own.apply)(x)", "torch.func.vmap"),
    ("y = torch.func.stack_module_state(o)", "torch.func.stack_module_state"),
    ("for match in PATTERN.finditer('aba'): pass", "re.Pattern.finditer"),
    ("y = PATTERN.sub(o_thing, 'aba')", "re.Pattern.sub"),
    ("y = PATTERN.sub(o_thing.shown, 'aba')", "re.Pattern.sub"),
    ("y = PATTERN.sub(lambda match: str(x.shape), 'aba')", "re.Pattern.sub"),
    ("y = PATTERN.match(x)", "re.Pattern.match"),
    ("y = torch.utils.data.DataLoader([x, x])", "torch.utils.data.DataLoader"),
    ("comptime.graph_break()", "torch._dynamo.comptime.comptime.graph_break"),
    ("y = x.numpy().astype('O')", "numpy.ndarray.astype"),
    ("y = x.numpy().astype(object)", "numpy.ndarray.astype"),
    ("x.clone().register_hook(lambda g: g.contiguous() if g.is_contiguous() else g)", "torch.Tensor.register_hook"),
    ("y = torch._refs.abs(x)", "torch._refs.abs"),
    ("y = np.outer(x.reshape(2, 2).numpy(), [1.0])", "numpy.outer"),
    ("y = np.outer(np.ones(2), [[1.0, 2.0]])", "numpy.outer"),
    ("y = np.outer(2.0, np.ones(2))", "numpy.outer"),
)
TRACED = (
    "y = hasattr([x], 'append')",
    "y = hasattr(np, 'sum')",
    "y = getattr(o, f'a{x.shape[0]}', 2)",
    "setattr(o, f'a{x.shape[0]}', 2)",
    "y = itertools.groupby([1, 2])",
    "y = itertools.groupby([1, 2], key=abs)",
    "y = itertools.groupby([x, x], key=lambda t: t.shape)",
    "y = itertools.combinations([1, 2], 2)",
    "y = dataclasses.asdict(Held(1))",
    "y = ImportError('a')",
    "y = traceback.format_exc()",
    "try: y = traceback.format_exc()\n            except ValueError: pass",
    "y = torch.utils.data.TensorDataset(x)",
    "y = np.add(x.numpy(), x.numpy())",
    "y = np.finfo(np.float32)",
    "y = np.asarray([1, 2])",
    "y = collections.namedtuple('P', 'a b', defaults=[1])",
    "y = torch.nested.nested_tensor([x, x], layout=torch.jagged)",
    "y = torch.vmap(lambda t: Own.apply(t))(x)",
    "y = torch.vmap(torch.sin)(x)",
    "y = PATTERN.findall('aba')",
    "y = PATTERN.match('aba')",
    "y = PATTERN.sub(lambda match: 'b', 'aba')",
    "y = PATTERN.sub(shown, 'aba')",
    "comptime.print_graph()",
    "y = x.numpy().astype('float32')",
    "x.clone().register_hook(lambda g: g * 2)",
    "y = np.outer(x.flatten().numpy(), [1.0, 2.0])",
    "y = np.outer(x.numpy(), np.ones(2))",
)


@pytest.mark.parametrize(("statement", "name"), REFUSED)
def test_refused(statement: str, name: str) -> None:
    check(f"""{HEAD}
        def f(x: Tensor, o):
            {statement}  # call {name}
    """)


@pytest.mark.parametrize("statement", TRACED)
def test_traced(statement: str) -> None:
    check(f"""{HEAD}
        def f(x: Tensor, o):
            {statement}
    """)


def test_each_name_of_the_table_is_shown() -> None:
    shown = " ".join(name for _, name in REFUSED)
    mine = [name for name, refuses in TABLE.items() if refuses.__module__ == refused_calls.__name__]
    assert [name for name in mine if name not in shown] == ["numpy.finfo", "numpy.array"]  # as the ones beside them


def test_what_runs_while_dynamo_traces_may_end_the_graph() -> None:
    check(f"""{HEAD}
        def f(x: Tensor):
            @comptime  # syntax comptime
            def _(ctx):
                ctx.graph_break()
            return x

        def g(x: Tensor):
            @comptime
            def _(ctx):
                ctx.print_locals()
            return x
    """)
