"""Operators whose result depends on data, lacks a kernel for tracing, or is refused by it."""

import operator

import torch
from torch import nn


def x3():
    return torch.randn(3)


def summed_by_size(x, n):
    return torch.zeros(n + 1).sum() + x


def make_size_computed():
    return summed_by_size, [((x3(), torch.tensor(2)), {})]


class Window(nn.Module):
    def last(self, lengths):
        return lengths.max() + 1

    def forward(self, x, lengths):
        return x.new_ones(self.last(lengths)) * 2


def make_window_by_length():
    return Window(), [((x3(), torch.tensor([1, 2])), {})]


def make_window_by_number():
    return WindowTo(2), [((x3(),), {})]


class WindowTo(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count = count

    def forward(self, x):
        return x[: self.count] * 2


def positives(x):
    return x[x > 0] * 2


def make_positives():
    return positives, [((x3(),), {})]


class Vocabulary(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 3)

    def used(self, tokens):
        return torch.unique(tokens)

    def forward(self, tokens):
        return self.table(self.used(tokens))


def make_vocabulary():
    return Vocabulary(), [((torch.tensor([1, 1, 3]),), {})]


def positives_kept(x):
    return torch.where(x > 0, x, 0.0) * 2


def make_positives_kept():
    return positives_kept, [((x3(),), {})]


def added_devices(x, m):
    try:
        return x + m
    except RuntimeError:
        return x * 2


def make_added_to_meta():
    return added_devices, [((x3(), torch.ones(3, device="meta")), {})]


class Moves(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.ones(3, device="meta"))

    def combined(self, x):
        return torch.cat([x, self.table])

    def forward(self, x):
        try:
            return self.combined(x)
        except (RuntimeError, NotImplementedError):
            return x + 1


def make_joined_with_meta():
    return Moves(), [((x3(),), {})]


def make_added_on_one_device():
    return added_devices, [((x3(), torch.ones(3)), {})]


def shapes_tried(x, y):
    try:
        return x + y
    except RuntimeError:
        return x


def make_shapes_tried():
    return shapes_tried, [((x3(), torch.randn(4)), {})]


class Fits(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 4))

    def product(self, x):
        try:
            return x @ self.weight
        except RuntimeError:
            return self.weight @ x

    def forward(self, x):
        return self.product(x)


def make_product_tried():
    return Fits(), [((torch.randn(4),), {})]


def make_product_fits():
    return Fits(), [((torch.randn(3),), {})]


def argument_tried(x):
    try:
        return torch.sum(x, bogus=1)
    except TypeError:
        return x * 2


def make_argument_tried():
    return argument_tried, [((x3(),), {})]


class OldSignature(nn.Module):
    def mean(self, x):
        try:
            return torch.mean(x, axis=0, keepdims=True, weights=None)
        except TypeError:
            return torch.mean(x, axis=0, keepdims=True)

    def forward(self, x):
        return self.mean(x) + x


def make_old_signature():
    return OldSignature(), [((x3(),), {})]


def argument_known(x):
    try:
        return torch.sum(x, dim=0)
    except TypeError:
        return x * 2


def make_argument_known():
    return argument_known, [((x3(),), {})]


torch.library.define("registry_programs::twice", "(Tensor x) -> Tensor")


@torch.library.impl("registry_programs::twice", "cpu")
def twice(x):
    return x * 2


torch.library.define("registry_programs::thrice", "(Tensor x) -> Tensor")


@torch.library.impl("registry_programs::thrice", "cpu")
def thrice(x):
    return x * 3


@torch.library.register_fake("registry_programs::thrice")
def thrice_fake(x):
    return torch.empty_like(x)


def custom(x):
    return torch.ops.registry_programs.twice(x) + 1


def make_custom_operator():
    return custom, [((x3(),), {})]


class CustomLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.op = torch.ops.registry_programs.twice.default

    def forward(self, x):
        return self.op(x.relu())


def make_custom_layer():
    return CustomLayer(), [((x3(),), {})]


def custom_with_shape(x):
    return torch.ops.registry_programs.thrice(x) + 1


def make_custom_with_shape():
    return custom_with_shape, [((x3(),), {})]


def wrong_overload(x):
    try:
        return torch.ops.aten.add(x, "one")
    except RuntimeError:
        return x


def make_wrong_overload():
    return wrong_overload, [((x3(),), {})]


class Dispatches(nn.Module):
    def __init__(self):
        super().__init__()
        self.op = torch.ops.aten.sum

    def total(self, x):
        try:
            return self.op(x, 0, 1, 2, 3, 4)
        except (RuntimeError, TypeError):
            return x.sum()

    def forward(self, x):
        return self.total(x)


def make_dispatches():
    return Dispatches(), [((x3(),), {})]


def right_overload(x):
    return torch.ops.aten.add(x, 1)


def make_right_overload():
    return right_overload, [((x3(),), {})]


def values_of(x):
    yield x * 2
    yield x * 3


def make_generator():
    return values_of, [((x3(),), {})]


class Streams(nn.Module):
    def rows(self, x):
        for row in x.unbind(0):
            yield row * 2


def make_generator_method():
    return Streams().rows, [((torch.randn(2, 3),), {})]


def listed(x):
    return list(values_of(x))


def make_generator_listed():
    return listed, [((x3(),), {})]


def pause(x):
    y = x * 2

    @torch._dynamo.comptime.comptime
    def _(ctx):
        ctx.graph_break()

    return y + 1


def make_comptime_pause():
    return pause, [((x3(),), {})]


class Inspected(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def note(self, ctx):
        ctx.graph_break("look here")

    def forward(self, x):
        h = self.body(x)

        def look(ctx):
            ctx.graph_break("look here")

        torch._dynamo.comptime.comptime(look)
        return h.relu()


def make_comptime_layer():
    return Inspected(), [((x3(),), {})]


def looked(x):
    y = x * 2

    @torch._dynamo.comptime.comptime
    def _(ctx):
        ctx.get_local("y")

    return y + 1


def make_comptime_look():
    return looked, [((x3(),), {})]


def resized(x):
    try:
        return nn.functional.interpolate(x[None, None, None, None, None], scale_factor=2.0)
    except NotImplementedError:
        return x * 2


def make_resized_in_six_dimensions():
    return resized, [((x3(),), {})]


class Pads(nn.Module):
    def __init__(self, rank):
        super().__init__()
        self.rank = rank

    def padded(self, x):
        try:
            return nn.functional.pad(x, (1, 1), mode="reflect")
        except NotImplementedError:
            return x

    def forward(self, x):
        return self.padded(x.reshape((1,) * self.rank + (3,))) * 2


def make_pads_six_dimensions():
    return Pads(5), [((x3(),), {})]


def make_pads_three_dimensions():
    return Pads(2), [((x3(),), {})]


def unpacked(q):
    return q.dequantize() * 2


def make_packed_input():
    return unpacked, [((torch.quantize_per_tensor(torch.randn(3), 0.1, 0, torch.quint8),), {})]


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.quantize_per_tensor(torch.randn(3), 0.1, 0, torch.qint8)

    def forward(self, x):
        return x * self.weight.dequantize()


def make_packed_weight():
    return Packed(), [((x3(),), {})]


def make_dense_input():
    return dense, [((torch.randn(2, 3),), {})]


def dense(m):
    return m.to_dense() + 1


def greeting(x, name):
    return x * 2 if name == "first" else x + len(name)


def make_many_names():
    return greeting, [((x3(), "n" * count), {}) for count in range(1, 12)]


def make_two_names():
    return greeting, [((x3(), "n" * count), {}) for count in (1, 2)]


class Phases(nn.Module):
    def __init__(self):
        super().__init__()
        self.phase = "0"

    def forward(self, x):
        self.phase = str(int(self.phase) + 1)
        return x * len(self.phase)


def make_phases():
    return Phases(), [((x3(),), {})] * 12


class Step(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Linear(3, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def forward(self, x):
        loss = self.model(x).sum()
        self.optimizer.step()
        return loss.detach()


def make_optimizer_step():
    return Step(), [((x3(),), {})]


model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def stepped(x):
    with torch.no_grad():
        for p in model.parameters():
            p.grad = torch.ones_like(p)
    optimizer.step()
    return model(x).detach()


def make_optimizer_function():
    return stepped, [((x3(),), {})]


params = torch._C._SDPAParams


def attends(q):
    p = params(q, q, q, None, 0.0, False, False)
    try:
        return q * p.window
    except AttributeError:
        return q * p.dropout


def make_attention_parameters():
    return attends, [((torch.randn(1, 2, 3, 4),), {})]


class Attends(nn.Module):
    def size(self, p):
        try:
            return p.head_size
        except AttributeError:
            return 2

    def forward(self, q):
        p = torch._C._SDPAParams(q, q, q, None, 0.0, True, False)
        return q * self.size(p)


def make_attention_layer():
    return Attends(), [((torch.randn(1, 2, 3, 4),), {})]


def attends_given(q, p):
    return q * p.dropout


def make_attention_given():
    q = torch.randn(1, 2, 3, 4)
    return attends_given, [((q, params(q, q, q, None, 0.0, False, False)), {})]


def truth_by_name(x):
    return x * 2 if operator.truth(x.sum()) else x + 1


def make_truth_by_name():
    return truth_by_name, [((torch.ones(3),), {})]
