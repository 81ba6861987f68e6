"""Operators that carry code, called directly: hints, casts, strict mode, nested regions, leaf functions, own ones."""

import functools

import torch
from torch import nn
from torch._C import DispatchKey
from torch._higher_order_ops.hints_wrap import hints_wrapper
from torch._higher_order_ops.out_dtype import out_dtype
from torch._higher_order_ops.strict_mode import strict_mode
from torch._ops import HigherOrderOperator


def x3():
    return torch.randn(3)


def wave(x):
    return torch.sin(x) + 1


def hinted(x):
    return hints_wrapper(wave, (x,), {}, hints={"level": 1})


def make_hinted():
    return hinted, [((x3(),), {})]


def hinted_operand_alone(x):
    return hints_wrapper(wave, x, {}, hints={"level": 1})


def make_hinted_operand_alone():
    return hinted_operand_alone, [((x3(),), {})]


class Hinted(nn.Module):
    def __init__(self):
        super().__init__()
        self.level = 2

    def body(self, x):
        return x * 2

    def forward(self, x):
        return hints_wrapper(self.body, (x,), {})


def make_layer_without_hints():
    return Hinted(), [((x3(),), {})]


def product(a, b):
    return out_dtype(torch.ops.aten.mul.Tensor, torch.int32, a, b)


def make_product():
    return product, [((torch.tensor([1], dtype=torch.int8), torch.tensor([2], dtype=torch.int8)), {})]


def named_product(a, b):
    try:
        return out_dtype(torch.ops.aten.mul.Tensor, torch.int32, a, other=b)
    except TypeError:
        return a * b


def make_named_product():
    return named_product, [((torch.tensor([1], dtype=torch.int8), torch.tensor([2], dtype=torch.int8)), {})]


class IntegerMatmul(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.ones(3, 3, dtype=torch.int8))
        self.options = {"output_dtype": torch.int32}

    def product(self, x):
        try:
            return out_dtype(torch.ops.aten.mm.default, x, self.weight, **self.options)
        except TypeError:
            return x

    def forward(self, x):
        return self.product(x) * 2


def make_integer_matmul():
    return IntegerMatmul(), [((torch.ones(2, 3, dtype=torch.int8),), {})]


def strictly(x):
    return strict_mode(wave, (x,))


def make_strictly():
    return strictly, [((x3(),), {})]


def strictly_nested(x):
    return strict_mode(lambda pair: pair[0] + pair[1], ([x, x],))


def make_strictly_nested():
    return strictly_nested, [((x3(),), {})]


class Strict(nn.Module):
    def body(self, options):
        return options["x"] * 2

    def forward(self, x):
        return strict_mode(self.body, ({"x": x},))


def make_strict_layer():
    return Strict(), [((x3(),), {})]


class Twice(HigherOrderOperator):
    def __init__(self):
        super().__init__("registry_twice")

    def __call__(self, f, x):
        return super().__call__(f, x)


twice = Twice()


@twice.py_impl(DispatchKey.CompositeExplicitAutograd)
def twice_dense(f, x):
    return f(f(x))


@twice.py_impl(DispatchKey.Autograd)
def twice_autograd(f, x):
    return f(f(x))


def applied_twice(x):
    return twice(wave, x)


def make_applied_twice():
    return applied_twice, [((x3(),), {})]


class Repeats(nn.Module):
    def __init__(self):
        super().__init__()
        self.operator = twice

    def forward(self, x):
        y = x * 2
        return self.operator(torch.cos, y)


def make_repeats():
    return Repeats(), [((x3(),), {})]


def applied_by_hand(x):
    return wave(wave(x))


def make_applied_by_hand():
    return applied_by_hand, [((x3(),), {})]


class Wave:
    def __call__(self, x):
        return torch.sin(x) + 1


region = torch.compiler.nested_compile_region(wave)
region_of_partial = torch.compiler.nested_compile_region(functools.partial(torch.add, alpha=2))
region_of_object = torch.compiler.nested_compile_region(Wave())


def in_region(x):
    return region(x) * 2


def make_in_region():
    return in_region, [((x3(),), {})]


def in_region_of_partial(x):
    return region_of_partial(x, x) * 2


def make_in_region_of_partial():
    return in_region_of_partial, [((x3(),), {})]


class RegionLayer(nn.Module):
    def forward(self, x):
        return region_of_object(x) * 2


def make_region_of_object():
    return RegionLayer(), [((x3(),), {})]


@torch._dynamo.decorators.leaf_function
def through(layer, x):
    return (layer(x),)


@through.register_fake
def through_fake(layer, x):
    return (torch.empty_like(x),)


def made_layer(x):
    return through(nn.Identity(), x)[0]


def make_leaf_of_made_layer():
    return made_layer, [((x3(),), {})]


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return through(self.layer, x)[0]


class MadeRouter(nn.Module):
    def forward(self, x):
        layers = [nn.Identity() for _ in range(2)]
        for layer in layers:
            x = through(layer, x)[0]
        return x


def make_leaf_of_given_layer():
    return Router(), [((x3(),), {})]


def make_leaf_of_made_layers():
    return MadeRouter(), [((x3(),), {})]


def seeded(x):
    generator = torch.Generator()
    generator.manual_seed(0)
    return x + torch.rand(3, generator=generator)


def make_seeded():
    return seeded, [((x3(),), {})]


class Dropout(nn.Module):
    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    def source(self):
        return torch.Generator(device="cpu")

    def forward(self, x):
        mask = torch.rand(3, generator=self.source().manual_seed(self.seed)) > 0.5
        return x * mask


def make_seeded_dropout():
    return Dropout(3), [((x3(),), {})]


def unseeded(x):
    return x + torch.rand(3)


def make_unseeded():
    return unseeded, [((x3(),), {})]


def short_cond(x):
    return torch.cond(x.sum() > 0, lambda: x + 1, lambda: x - 1)


def make_cond_without_operands():
    return short_cond, [((x3(),), {})]


def sized_cond(x):
    return torch.cond(x.sum() > 0, lambda v: (v + 1, v.shape[0]), lambda v: (v - 1, v.shape[0]), (x,))


def make_cond_with_sizes():
    return sized_cond, [((torch.randn(size),), {}) for size in (3, 4, 5)]


class SizedCond(nn.Module):
    def first(self, v):
        return v.sin(), v.size(0) * 2

    def second(self, v):
        return v.cos(), v.size(0)

    def forward(self, x):
        y, count = torch.cond(x.sum() > 0, self.first, self.second, (x,))
        return y * count


def make_cond_layer_with_sizes():
    return SizedCond(), [((torch.randn(size),), {}) for size in (3, 4, 5)]
