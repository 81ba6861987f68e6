"""Objects: what `self` holds and where it was stored, properties, `super()`, MRO across files, records, layers."""

from __future__ import annotations

import pytest

from compilelint.events import Attribute, Syntax
from compilelint.interp.kinds.objects import LAYER_NUMBERS
from tests.support.reveal import check, run


def test_attributes_from_the_constructor() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self, config, dim: int = 4):
                super().__init__()
                self.proj = nn.Linear(dim, dim)
                self.scale = dim ** -0.5
                self.name = "net"
                self.config = config
                self.steps = [1, 2]
                self.act = torch.nn.functional.relu

            def forward(self, x):
                reveal_type(self.proj)  # instance torch.nn.Linear
                reveal_type(self.name)  # str
                reveal_type(self.config)  # ?
                reveal_type(self.config.hidden)  # ?
                reveal_type(self.steps)  # list(1, 2)
                reveal_type(self.act)  # library torch.nn.functional.relu
                reveal_type(self.training)  # bool
                reveal_type(self.proj(x))  # tensor float computed
    """)


def test_attributes_from_helpers_of_the_constructor() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.reset()

            def reset(self):
                self.cache = None
                self.register_buffer("mask", torch.ones(2, 2, dtype=torch.bool))
                setattr(self, "offset", torch.zeros(3))

            def forward(self, x):
                reveal_type(self.cache)  # None
                reveal_type(self.mask)  # tensor bool 2-d buffer
                reveal_type(self.offset)  # tensor float 1-d input
    """)


def test_attributes_that_other_methods_store() -> None:
    check("""
        class Scheduler:
            def __init__(self):
                self.timesteps = None
                self.order = 1

            def set_timesteps(self, n: int):
                self.timesteps = torch.arange(n)

            def step(self, x: Tensor):
                reveal_type(self.timesteps)  # None | tensor int 1-d input
                reveal_type(self.order)  # int
    """)


def test_assignment_in_the_frame_wins_over_what_is_stored() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.cache = None

            def fill(self, x):
                self.cache = x.sum()

            def forward(self, x: Tensor):
                self.cache = 3
                reveal_type(self.cache)  # 3
                self.fill(x)
                reveal_type(self.cache)  # tensor 0-d computed
    """)


def test_parameters_and_registered_modules() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(4, 4))
                self.register_parameter("bias", None)
                self.add_module("norm", nn.LayerNorm(4))
                self.register_buffer("table", None, persistent=False)

            def forward(self, x: Tensor):
                reveal_type(self.weight)  # tensor float 2-d parameter
                reveal_type(self.bias)  # None
                reveal_type(self.norm)  # instance torch.nn.LayerNorm
                reveal_type(self.table)  # None
                for p in self.parameters():
                    reveal_type(p)  # tensor float parameter
    """)


def test_lists_and_dicts_of_modules() -> None:
    check("""
        class Block(nn.Module):
            def forward(self, x):
                return x, None

        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.blocks = nn.ModuleList([Block() for _ in range(n)])
                self.heads = nn.ModuleDict({"a": nn.Linear(1, 1), "b": Block()})
                self.pair = nn.ModuleList([nn.Linear(1, 1), Block()])

            def forward(self, x: Tensor, name: str):
                for block in self.blocks:
                    reveal_type(block)  # object Block
                    x, extra = block(x)
                for i, block in enumerate(self.blocks):
                    reveal_type(block)  # object Block
                reveal_type(self.blocks[0](x))  # tuple(tensor input, None)
                reveal_type(self.heads["a"])  # instance torch.nn.Linear
                reveal_type(self.heads[name])  # instance torch.nn.Linear | object Block
                reveal_type(self.pair[1])  # object Block
                reveal_type(self.blocks[1:][0])  # object Block
    """)


def test_a_list_that_is_filled_before_it_is_handed_over() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                layers = []
                for i in range(n):
                    layers.append(nn.Linear(1, 1))
                    layers += [nn.ReLU()]
                self.body = nn.Sequential(*layers)

            def forward(self, x: Tensor):
                reveal_type(self.body(x))  # tensor float computed
    """)


def test_sequential_runs_its_layers() -> None:
    check("""
        class Mask(nn.Module):
            def forward(self, x):
                return x > 0

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), Mask())

            def forward(self, x: Tensor):
                reveal_type(self.body(x))  # tensor bool computed
                reveal_type(self.body[0](x))  # tensor float computed
    """)


def test_properties() -> None:
    check("""
        class Scheduler:
            def __init__(self):
                self._step = None

            @property
            def step_index(self):
                return self._step

            @step_index.setter
            def step_index(self, index: int):
                self._step = index

            @functools.cached_property
            def table(self):
                return torch.arange(3)

            def step(self, x: Tensor):
                reveal_type(self.step_index)  # None | int
                reveal_type(self.table)  # tensor int 1-d computed
    """)


def test_static_and_class_methods() -> None:
    check("""
        class Net(nn.Module):
            size = 3

            @staticmethod
            def mix(a, b=None):
                return a

            @classmethod
            def limit(cls, x):
                reveal_type(cls)  # class Net
                return x.sum()

            def forward(self, x: Tensor):
                reveal_type(self.mix(x))  # tensor input
                reveal_type(Net.mix(x))  # tensor input
                reveal_type(self.limit(x))  # tensor 0-d computed
                reveal_type(Net.limit(x))  # tensor 0-d computed
                reveal_type(self.size)  # int
    """)


def test_super_finds_the_next_class() -> None:
    check("""
        class Base(nn.Module):
            def step(self, x):
                return x.sum()

        class Mixin:
            def step(self, x):
                return (super().step(x), 1)

        class Net(Mixin, Base):
            def forward(self, x: Tensor):
                reveal_type(super().step(x))  # tuple(tensor 0-d computed, 1)
                reveal_type(super(Net, self).step(x))  # tuple(tensor 0-d computed, 1)
                reveal_type(Base.step(self, x))  # tensor 0-d computed
    """)


def test_inherited_attributes_and_overridden_methods() -> None:
    check("""
        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(1, 1)

            def forward(self, x: Tensor):
                reveal_type(self.hook(x))  # None | tensor 0-d computed
                return self.hook(x)

            def hook(self, x):
                return None

        class Net(Base):
            def forward(self, x: Tensor):
                reveal_type(self.proj)  # instance torch.nn.Linear
                return super().forward(x)

            def hook(self, x):
                return x.sum()
    """)


def test_what_a_constructor_stores_last_wins() -> None:
    check("""
        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = None

        class Net(Base):
            def __init__(self):
                super().__init__()
                self.scale = 2.0

            def forward(self, x: Tensor):
                reveal_type(self.scale)  # float
    """)


def test_mro_across_files() -> None:
    check(
        {
            "pkg/__init__.py": "",
            "pkg/base.py": """
            class Base(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_buffer("steps", torch.tensor(0))
        """,
            "pkg/mixin.py": """
            class Counting:
                def count(self):
                    return self.steps + 1
        """,
            "pkg/net.py": """
            from . import mixin
            from .base import Base as Parent

            class Net(mixin.Counting, Parent):
                def forward(self, x: Tensor):
                    reveal_type(self.count())  # tensor int 0-d computed
                    reveal_type(self.steps)  # tensor int 0-d buffer
        """,
        }
    )


def test_instantiate_then_call() -> None:
    check("""
        class Block(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.dim = dim

            def forward(self, x):
                return x.sum(), self.dim

        class Count:
            def __call__(self, x):
                return x.numel()

        def f(x: Tensor):
            reveal_type(Block(3)(x))  # tuple(tensor 0-d computed, ?)
            reveal_type(Count()(x))  # int shape
            layer = nn.Linear(2, 2)
            reveal_type(layer(x))  # tensor float computed
    """)


def test_records_made_in_the_region() -> None:
    check("""
        @dataclass
        class Out:
            loss: Optional[Tensor] = None
            logits: Tensor = None

        class Pair(NamedTuple):
            left: Tensor
            right: int = 1

        def f(x: Tensor):
            out = Out(logits=x.sum())
            reveal_type(out)  # object Out(loss: None, logits: tensor 0-d computed)
            reveal_type(out.logits)  # tensor 0-d computed
            pair = Pair(x)
            reveal_type(pair.left)  # tensor input
            left, right = pair
            reveal_type(right)  # 1
            reveal_type(pair[0])  # tensor input
    """)


def test_a_model_output_is_indexed_as_transformers_does() -> None:
    check("""
        from collections import OrderedDict

        @dataclass
        class Output(OrderedDict):
            loss: Optional[Tensor] = None
            logits: Tensor = None

        def f(x: Tensor):
            out = Output(logits=x)
            reveal_type(out[0])  # tensor input
            reveal_type(out["logits"])  # tensor input
            reveal_type(out.loss)  # None
    """)


def test_class_attributes() -> None:
    check("""
        class Config:
            hidden = 3
            table = {"a": 1}
            bias: Optional[Tensor]

        def f(x: Tensor, config: Config):
            reveal_type(config.hidden)  # int
            reveal_type(config.table["a"])  # 1
            reveal_type(config.bias)  # None | tensor input
            reveal_type(Config.hidden)  # 3
            reveal_type(config.missing)  # ?
    """)


def test_enums() -> None:
    check("""
        import enum

        class Mode(enum.Enum):
            SUM = 1
            NONE = 2

        def f(x: Tensor, mode: Mode):
            reveal_type(mode)  # object Mode
            reveal_type(mode == Mode.SUM)  # bool
    """)


def test_operators_of_objects() -> None:
    check("""
        class Cache:
            def __len__(self):
                return 3

            def __getitem__(self, i):
                return torch.zeros(2)

            def __iter__(self):
                yield None

            def __bool__(self):
                return True

        def f(x: Tensor, cache: Cache):
            reveal_type(cache[0])  # tensor float 1-d computed
            reveal_type(len(cache))  # 3
            for item in cache:
                reveal_type(item)  # None
            y = 1 if cache else 2
            reveal_type(y)  # 1
    """)


def test_a_lambda_or_function_held_by_self() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.pick = lambda t: t.argmax()
                self.loss = F.mse_loss

            def forward(self, x: Tensor):
                reveal_type(self.pick(x))  # tensor int 0-d computed
                reveal_type(self.loss(x, x))  # tensor float 0-d computed
    """)


def test_a_submodule_of_unknown_class_is_unknown() -> None:
    check("""
        from nowhere import AutoModel

        class Net(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.visual = AutoModel.from_config(config)

            def forward(self, x: Tensor):
                reveal_type(self.visual(x))  # ?
                reveal_type(self.visual(x).last_hidden_state)  # ?
    """)


def test_a_subclass_of_a_library_layer() -> None:
    check("""
        class Scaled(nn.Linear):
            def forward(self, x: Tensor):
                reveal_type(self.weight)  # tensor float parameter
                reveal_type(super().forward(x))  # tensor float computed
                return x
    """)


def test_attributes_of_a_submodule() -> None:
    check("""
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(1, 1)
                self.register_buffer("mask", torch.ones(2, dtype=torch.bool))

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = Block()

            def forward(self, x: Tensor):
                reveal_type(self.block.mask)  # tensor bool 1-d buffer
                reveal_type(self.block.proj.weight)  # tensor float parameter
                reveal_type(self.block.to("cuda"))  # object Block
    """)


def test_a_module_list_that_is_filled_in_a_loop() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.layers = nn.ModuleList()
                for i in range(n):
                    self.layers.append(nn.Linear(1, 1))

            def forward(self, x: Tensor):
                for layer in self.layers:
                    reveal_type(layer)  # instance torch.nn.Linear
    """)


def test_module_lists_however_they_are_built() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.lazy = nn.ModuleList(nn.Linear(1, 1) for _ in range(n))
                self.shared = nn.ModuleList([nn.Linear(1, 1)] * 3)
                self.deep = nn.ModuleList([nn.ModuleList([nn.Linear(1, 1) for _ in range(n)]) for _ in range(n)])
                self.scales = nn.ParameterList([nn.Parameter(torch.zeros(2)) for _ in range(n)])

            def forward(self, x: Tensor):
                for left, right in zip(self.lazy, self.shared):
                    reveal_type(right)  # instance torch.nn.Linear
                for i, layer in enumerate(reversed(self.lazy)):
                    reveal_type(layer)  # instance torch.nn.Linear
                for row in self.deep:
                    for layer in row:
                        reveal_type(layer)  # instance torch.nn.Linear
                for scale in self.scales:
                    reveal_type(scale)  # tensor float 1-d parameter
                for layer in self.shared[:-1]:
                    reveal_type(layer)  # instance torch.nn.Linear
                reveal_type(next(self.parameters()).dtype)  # instance torch.dtype
    """)


def test_the_first_read_of_a_cached_property_ends_the_graph_a_plain_one_does_not() -> None:
    """Up to Python 3.11 `functools.cached_property` takes a lock when it is read first (2.13.0: `cached_property`)."""
    program = """
        class Net(nn.Module):
            @{decorator}
            def table(self):
                return torch.ones(3)

            def forward(self, x: Tensor):
                return x * self.table
    """
    reported = {
        decorator: [event.form for event in run(program.format(decorator=decorator)) if isinstance(event, Syntax)]
        for decorator in ("functools.cached_property", "property")
    }
    assert reported == {"functools.cached_property": ["cached_property, first read"], "property": []}


def test_a_cached_property_that_was_stored_is_what_was_stored() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.width = 4

            @functools.cached_property
            def width(self):
                return torch.ones(3)

            def forward(self, x: Tensor):
                reveal_type(self.width)  # int
    """)


def test_the_shape_of_anything_holds_numbers() -> None:
    check("""
        def f(x: Tensor, image):
            made = image.unfold()
            reveal_type(made.shape[1])  # int shape
            reveal_type(image.size if made.shape[1] is None else None)  # None
    """)


def test_an_attribute_that_is_read_before_the_constructor_has_stored_it_is_looked_at_again() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.size = 4
                self.width = self.doubled()
                self.table = torch.ones(3)

            def doubled(self):
                return 0 if self.table is None else self.size * 2

            def forward(self, x):
                reveal_type(self.table)  # tensor float 1-d input
                reveal_type(self.size)  # int
    """)


def test_a_tensor_that_another_method_moves_has_no_known_device() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.kept = torch.ones(3)
                self.moved = torch.ones(3)

            def place(self, device):
                self.moved = self.moved.to(device)

            def forward(self, x):
                reveal_type(self.kept)  # tensor float 1-d input contiguous cpu
                reveal_type(self.moved)  # ? | tensor float 1-d input contiguous
    """)


def test_a_tensor_that_every_method_leaves_on_the_host_is_there() -> None:
    check("""
        class Schedule:
            def __init__(self):
                self.table = torch.ones(3).to("cpu")
                self.back = torch.ones(3)
                self.lost = torch.ones(3)

            def place(self, device, table):
                self.table = torch.ones(4).to(device)
                self.table = self.table.to("cpu")
                self.back = self.back.to(device)
                self.back = torch.ones(3)
                self.lost = table

            def step(self, x: Tensor):
                reveal_type(self.table)  # tensor 1-d input contiguous cpu
                reveal_type(self.back)  # ? | tensor 1-d input contiguous likely
                reveal_type(self.lost)  # ? | tensor float 1-d input contiguous
    """)


def test_layers_of_torch_keep_numbers() -> None:
    check("""
        class Words(nn.Embedding):
            def __init__(self, n: int, dim: int):
                super().__init__(n, dim)
                self.extra = nn.Parameter(torch.zeros(self.embedding_dim))

            def forward(self, x: Tensor):
                reveal_type(self.extra)  # tensor float 1-d parameter contiguous
                reveal_type(self.embedding_dim)  # int
    """)


@pytest.mark.dynamo
def test_the_numbers_of_layers_are_those_of_torch() -> None:
    from torch import nn

    layers = [
        nn.Linear(2, 3),
        nn.Bilinear(1, 2, 3),
        nn.Embedding(3, 2),
        nn.Conv2d(2, 3, 3),
        nn.BatchNorm2d(3),
        nn.GroupNorm(1, 2),
        nn.MultiheadAttention(4, 2),
        nn.LSTM(2, 3),
        nn.PReLU(),
    ]
    kept = {name for layer in layers for name, value in vars(layer).items() if type(value) is int and name[0] != "_"}
    assert kept == LAYER_NUMBERS


def test_recurrent_layers_are_not_looked_at_for_nothing() -> None:
    text = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.LSTM(2, 2)
                self.lin = nn.Linear(2, 2)

            def forward(self, x: Tensor):
                return x * self.{}.weight_x
    """
    (look,) = [event for event in run(text.format("rnn")) if event.breaks]
    assert isinstance(look, Attribute)
    assert look.name == "torch.nn.LSTM.weight_x"
    assert [event for event in run(text.format("lin")) if event.breaks] == []
