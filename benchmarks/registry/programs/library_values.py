"""Values that torch and the standard library give back, and what is done with them."""

import re
import string
import typing
from collections import namedtuple

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

# --- operators of torch that give no tensor


def threads(x):
    return x * torch.get_num_threads()


def make_thread_count():
    return threads, [((torch.randn(3),), {})]


class Placed(nn.Module):
    def where(self):
        return torch.get_default_device()

    def forward(self, x):
        y = x.relu()
        return y.to(self.where()) * 2


def make_default_device_in_method():
    return Placed(), [((torch.randn(3),), {})]


def promoted(x, y):
    kind = torch.result_type(x, y)
    return x.to(kind) + y


def make_result_type():
    return promoted, [((torch.randn(3), torch.ones(3, dtype=torch.float64)), {})]


def promoted_types(x, y):
    kind = torch.promote_types(x.dtype, y.dtype)
    return x.to(kind) + y


def make_promote_types():
    return promoted_types, [((torch.randn(3), torch.ones(3, dtype=torch.float64)), {})]


# --- views that change their argument


def flip_in_place(x):
    x.t_()
    return x + 1


def make_t_of_input():
    return flip_in_place, [((torch.randn(2, 3),), {})]


class Unsqueezes(nn.Module):
    def widen(self, x):
        return x.unsqueeze_(0)

    def forward(self, x):
        return self.widen(x) * 2


def make_unsqueeze_of_input_in_method():
    return Unsqueezes(), [((torch.randn(3),), {})]


def cut_off(x):
    x.detach_()
    return x * 2


def make_detach_of_input():
    return cut_off, [((torch.randn(3),), {})]


def share(x, y):
    x.set_(y)
    return x * 2


def make_set_of_input():
    return share, [((torch.randn(3), torch.randn(3)), {})]


def flip(x):
    y = x.t()
    return y + 1


def make_t_copy():
    return flip, [((torch.randn(2, 3),), {})]


# --- bodies that write outside


class Auxiliary(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.aux = None

    def block(self, x):
        y = self.lin(x)
        self.aux = y.mean()
        return y.relu()

    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=False)


def make_checkpoint_sets_attribute():
    return Auxiliary(), [((torch.randn(2, 3),), {})]


def collects(x):
    kept = []

    def block(y):
        z = y.sin()
        kept.append(z)
        return z * 2

    out = checkpoint(block, x, use_reentrant=False)
    return out + len(kept)


def make_checkpoint_appends():
    return collects, [((torch.randn(3, requires_grad=True),), {})]


SEEN = {}


def counted_vmap(x):
    def row(y):
        SEEN["n"] = 1
        return y * 2

    return torch.vmap(row)(x)


def make_vmap_stores():
    return counted_vmap, [((torch.randn(3, 2),), {})]


class Pure(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def block(self, x):
        parts = []
        parts.append(self.lin(x))
        return parts[0].relu()

    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=False)


def make_checkpoint_appends_inside():
    return Pure(), [((torch.randn(2, 3),), {})]


# --- patterns and templates

NUMBER = re.compile(r"\d+")
LINE = string.Template("$name row")


def digits_of_sum(x):
    found = NUMBER.findall(f"{x.sum():.1f}")
    return x * len(found)


def make_pattern_of_tensor_text():
    return digits_of_sum, [((torch.ones(3),), {})]


class Reports(nn.Module):
    def text(self, y):
        return f"{y.max():.2f}"

    def forward(self, x):
        y = x.relu()
        if NUMBER.match(self.text(y)):
            return y * 2
        return y


def make_pattern_match_of_tensor_text():
    return Reports(), [((torch.ones(3),), {})]


def scans(x, text):
    scanner = NUMBER.scanner(text)
    return x * len(scanner.search().group())


def make_pattern_scanner():
    return scans, [((torch.randn(3), "a12"), {})]


def digits_of_text(x, text):
    return x * len(NUMBER.findall(text))


def make_pattern_of_text():
    return digits_of_text, [((torch.randn(3), "a12"), {})]


# --- setting attributes on functions and foreign classes


def helper(x):
    return x * 2


def mark_function(x):
    helper.calls = 1
    return helper(x)


def make_function_attribute_set():
    return mark_function, [((torch.randn(3),), {})]


class Named(nn.Module):
    def forward(self, x):
        Pair = namedtuple("Pair", "a b")
        Pair.total = property(lambda pair: pair.a + pair.b)
        return Pair(x, x).a


def make_namedtuple_attribute_set():
    return Named(), [((torch.randn(3),), {})]


def mark_nested(x):
    def step(y):
        return y * 2

    step.calls = 1
    return step(x) * step.calls


def make_nested_function_attribute_set():
    return mark_nested, [((torch.randn(3),), {})]


# --- further forms


class Repeats(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = bytearray(b"ab")

    def forward(self, x):
        y = x.relu()
        codes = self.codes
        codes *= 2
        return y * len(codes)


def make_irepeat_bytearray_of_module():
    return Repeats(), [((torch.randn(3),), {})]


def csr_of(x, rows, columns):
    return torch.sparse_csr_tensor(rows, columns, x).to_dense() + 1


def make_sparse_csr_built():
    return csr_of, [((torch.ones(2), torch.tensor([0, 1, 2]), torch.tensor([0, 1])), {})]


class Layer:
    def norm(self, x):
        return x / x.norm()


class Missing(Layer, nn.Module):
    def forward(self, x):
        y = x.relu()
        try:
            return super().normalise(y)
        except AttributeError:
            return self.norm(y)


def make_super_missing_in_module():
    return Missing(), [((torch.randn(3),), {})]


class Literal(nn.Module):
    def forward(self, x, n):
        y = x.relu()
        kind = typing.Literal[y.shape[0]]
        return y * 2 if kind else y


def make_literal_of_rows_in_module():
    return Literal(), [((torch.randn(3), 1), {}), ((torch.randn(4), 1), {}), ((torch.randn(5), 1), {})]


def alias_hash(x):
    same = typing.Dict[str, int].__ne__(typing.Dict[str, str])
    return x * 2 if same else x + 1


def make_typing_ne_called():
    return alias_hash, [((torch.randn(3),), {})]


def progress(values):
    for value in values:
        yield value


class Streams(nn.Module):
    def idle(self, rows):
        return rows.gi_frame is not None

    def forward(self, x):
        y = x.relu()
        rows = progress([1, 2])
        return y * 2 if self.idle(rows) else y


def make_generator_frame_in_module():
    return Streams(), [((torch.randn(3),), {})]


@torch.compiler.disable
def slow(self, x):
    return x.sort().values


class Attached(nn.Module):
    def forward(self, x):
        y = x.relu()
        return self.slow(y) + 1


Attached.slow = slow


def make_disabled_attached_method():
    return Attached(), [((torch.randn(3),), {})]


class Child(nn.ReLU):
    def label(self):
        return len(repr(super()))

    def forward(self, x):
        y = super().forward(x)
        return y * 2 if self.label() else y


def make_repr_of_super_in_method():
    return Child(), [((torch.randn(3),), {})]


# --- contexts of operators


class Names(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        label = ctx.name()
        return x * len(label[:1])

    @staticmethod
    def backward(ctx, grad):
        return grad


def make_context_name():
    return lambda x: Names.apply(x) + 1, [((torch.randn(3, requires_grad=True),), {})]


class Clears(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def setup(ctx):
        ctx.maybe_clear_saved_tensors()

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Registers(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.register_hook(lambda *grads: None)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class UsesRegisters(nn.Module):
    def forward(self, x):
        y = x.sin()
        return Registers.apply(y)


def make_context_register_hook():
    return UsesRegisters(), [((torch.randn(3, requires_grad=True),), {})]
