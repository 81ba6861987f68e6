"""Results written into given tensors with `out=`, and parameters made while a model runs."""

import torch
from torch import nn
from torch.nn.modules.utils import _pair


def x3():
    return torch.randn(3)


def extremes(x):
    values, places = torch.empty(0), torch.empty(0, dtype=torch.long)
    torch.max(x, 0, out=[values, places])
    return values + places


def make_extremes_into_empty():
    return extremes, [((torch.randn(2, 3),), {})]


class Sorts(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def buffers(self):
        return torch.empty(self.size), torch.empty(self.size, dtype=torch.long)

    def forward(self, x):
        held = self.buffers()
        torch.sort(x, out=held)
        return held[0] * 2


def make_sorts_into_wrong_size():
    return Sorts(5), [((x3(),), {})]


def make_sorts_into_right_size():
    return Sorts(3), [((x3(),), {})]


def extremes_in_columns(x):
    table = torch.empty(3, 2)
    codes = torch.empty(3, 2, dtype=torch.long)
    torch.max(x, 1, out=(table[:, 0], codes[:, 0]))
    return table[:, 0] * 2


def make_extremes_in_columns():
    return extremes_in_columns, [((torch.randn(3, 4),), {})]


class SortsColumns(nn.Module):
    def target(self, x):
        return torch.empty_like(x).t(), torch.empty_like(x, dtype=torch.long).t()

    def forward(self, x):
        values, order = self.target(x)
        torch.sort(x.t(), dim=0, out=(values, order))
        return values + order


def make_sorts_columns():
    return SortsColumns(), [((torch.randn(3, 4),), {})]


def summed_into(x, y):
    total = torch.empty(0)
    torch.add(x, y, out=total)
    return total * 2


def make_summed_into_empty():
    return summed_into, [((x3(), x3()), {})]


class Products(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows
        self.weight = nn.Parameter(torch.randn(3, 4), requires_grad=False)

    def forward(self, x):
        result = x.new_empty((self.rows, 4))
        torch.mm(x, self.weight, out=result)
        return result + 1


def make_products_into_wrong_rows():
    return Products(1), [((torch.randn(2, 3),), {})]


def make_products_into_right_rows():
    return Products(2), [((torch.randn(2, 3),), {})]


def summed_into_column(x, y):
    table = torch.zeros(3, 2)
    torch.add(x, y, out=table[:, 1])
    return table


def make_summed_into_column():
    return summed_into_column, [((x3(), x3()), {})]


class Transposed(nn.Module):
    def into(self, x, target):
        return torch.mul(x, 2, out=target)

    def forward(self, x):
        board = torch.zeros(x.shape[1], x.shape[0])
        self.into(x, board.t())
        return board


def make_transposed():
    return Transposed(), [((torch.randn(3, 4),), {})]


def summed_into_row(x, y):
    table = torch.zeros(2, 3)
    torch.add(x, y, out=table[1])
    return table


def make_summed_into_row():
    return summed_into_row, [((x3(), x3()), {})]


def made_parameter(x):
    w = nn.Parameter(torch.ones(3))
    return x * w


def make_made_parameter():
    return made_parameter, [((x3(),), {})]


class Adapter(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(3, 3)

    def merged(self, scale):
        return nn.Parameter(self.base.weight * scale)

    def forward(self, x):
        return nn.functional.linear(x, self.merged(0.5))


def make_adapter():
    return Adapter(), [((x3(),), {})]


def parameter_of_input(x):
    return nn.Parameter(x) * 2


def make_parameter_of_input():
    return parameter_of_input, [((x3(),), {})]


def empty_parameter(x):
    p = nn.Parameter()
    return x + p.numel()


def make_empty_parameter():
    return empty_parameter, [((x3(),), {})]


class Placeholder(nn.Module):
    def slot(self):
        return nn.Parameter(None, requires_grad=False)

    def forward(self, x):
        return x * (1 + self.slot().numel())


def make_placeholder():
    return Placeholder(), [((x3(),), {})]


def parameter_of_gradient(x):
    w = nn.Parameter(x.data)
    return w * 2


def make_parameter_of_data():
    return parameter_of_gradient, [((x3(),), {})]


class Copies(nn.Module):
    def __init__(self):
        super().__init__()
        self.source = nn.Linear(3, 3)

    def shadow(self):
        return nn.Parameter(self.source.weight.data, requires_grad=False)

    def forward(self, x):
        return nn.functional.linear(x, self.shadow())


def make_parameter_of_layer_data():
    return Copies(), [((x3(),), {})]


class Size:
    def __init__(self, value):
        self.value = value


def paired(x, size):
    first, second = _pair(size)
    return x * first.value * second.value


def make_paired_objects():
    return paired, [((x3(), Size(2)), {})]


class Kernel(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        a, b = _pair(self.size)
        return x * 2 if a is b else x


def make_kernel_of_object():
    return Kernel(Size(3)), [((x3(),), {})]


def make_kernel_of_number():
    return Kernel(3), [((x3(),), {})]
