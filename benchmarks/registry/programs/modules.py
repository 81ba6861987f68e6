"""Modules that change themselves while they run, and calls around modules."""

import torch
from torch import nn


def x3():
    return torch.randn(3)


class Grows(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        self.scale = nn.Parameter(x.detach())
        total = sum(p.sum() for p in self.parameters())
        return self.body(x) * total


def make_counts_new_parameter():
    return Grows(), [((x3(),), {})]


class Swaps(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.spare = nn.Linear(3, 3)

    def exchange(self):
        self.layer, self.spare = self.spare, self.layer

    def forward(self, x):
        self.exchange()
        names = [name for name, _ in self.named_modules()]
        return self.layer(x) * len(names)


def make_names_after_swap():
    return Swaps(nn.Linear(3, 3)), [((x3(),), {})]


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        self.last = x
        total = sum(p.sum() for p in self.parameters())
        return self.body(x) * total


def make_counts_parameters():
    return Counts(), [((x3(),), {})]


class AsksNegativeLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return AsksPinnedMemory.apply(x * self.scale)


class AsksPinnedMemory(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        ask = torch.Tensor.is_pinned
        return grad * 2 if not ask(grad) else grad


def make_backward_asks_memory():
    return AsksNegativeLayer(), [((x3(),), {})]


class AsksNegative(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()

    @staticmethod
    def backward(ctx, grad):
        return grad.clone() if torch.Tensor.is_neg(grad) else grad * 1


def negative(x):
    return AsksNegative.apply(x).sum()


def make_backward_asks_negative():
    return negative, [((torch.randn(3, requires_grad=True),), {})]


def nested_of_tensor(x):
    try:
        return torch.nested.nested_tensor(x, layout=torch.jagged).values() * 2
    except TypeError:
        return x


def make_nested_of_tensor():
    return nested_of_tensor, [((torch.randn(2, 3),), {})]


class Nests(nn.Module):
    def rows(self, x):
        for row in x.unbind(0):
            yield row

    def forward(self, x):
        try:
            return torch.nested.nested_tensor(self.rows(x), layout=torch.jagged).values()
        except TypeError:
            return x * 2


def make_nested_of_generator():
    return Nests(), [((torch.randn(2, 3),), {})]


def device_module(x):
    try:
        torch.get_device_module("cpu", 0)
    except TypeError:
        x = x + 1
    return x * 2


def make_device_module_of_two():
    return device_module, [((x3(),), {})]


class DeviceModule(nn.Module):
    def count(self, **options):
        try:
            return torch.get_device_module(**options).device_count()
        except TypeError:
            return 2

    def forward(self, x):
        return x * self.count(kind="cpu")


def make_device_module_by_name():
    return DeviceModule(), [((x3(),), {})]


def stream_of_two(x):
    try:
        torch.cuda.current_stream("cuda", 0)
    except TypeError:
        x = x + 1
    return x * 2


def make_stream_of_two():
    return stream_of_two, [((x3(),), {})]


class Streams(nn.Module):
    def stream(self, *place):
        try:
            return torch.accelerator.current_stream(*place)
        except TypeError:
            return None

    def forward(self, x):
        return x * 2 if self.stream("cpu", 0) is None else x


def make_stream_layer():
    return Streams(), [((x3(),), {})]


def parameter_flag(x, flag):
    try:
        return nn.Parameter(x, requires_grad=flag) * 2
    except TypeError:
        return x


def make_parameter_flag_tensor():
    return parameter_flag, [((x3(), torch.tensor(True)), {})]


class Freezes(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def copy(self, frozen):
        try:
            return nn.Parameter(self.weight, requires_grad=frozen.any())
        except TypeError:
            return self.weight

    def forward(self, x):
        return x * self.copy(x > 0)


def make_parameter_flag_computed():
    return Freezes(), [((x3(),), {})]


def make_parameter_flag_bool():
    return parameter_flag, [((x3(), False), {})]


optimized = nn.Linear(3, 1)
sgd = torch.optim.SGD(optimized.parameters(), lr=0.1)


def closure_step():
    with torch.no_grad():
        for p in optimized.parameters():
            p.mul_(0.5)
            p.grad = torch.ones_like(p)
    return torch.zeros(())


def stepped_with_closure():
    return sgd.step(closure_step)


def make_optimizer_closure():
    return stepped_with_closure, [((), {})] * 2


class Anneals(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Linear(3, 1)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.1)

    def decay(self):
        with torch.no_grad():
            self.model.weight.mul_(0.9)
            self.model.weight.grad = torch.ones_like(self.model.weight)

    def evaluate(self):
        self.decay()
        return self.model.weight.detach().sum()

    def forward(self, x):
        self.optimizer.step(self.evaluate)
        return self.model(x).detach()


def make_anneals():
    return Anneals(), [((x3(),), {})]


class Decays(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Linear(3, 1)

    def forward(self, x):
        with torch.no_grad():
            self.model.weight.mul_(0.9)
        return self.model(x).detach()


def make_decays():
    return Decays(), [((x3(),), {})]
