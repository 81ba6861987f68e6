"""Operators over the steps of a sequence: `map`, `scan` and `associative_scan`."""

import torch
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan


def rows():
    return torch.randn(4, 3)


class Tagged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


def tagged():
    return torch.randn(4, 3).as_subclass(Tagged)


def add(a, b):
    return a + b


def running_sum(x):
    return associative_scan(add, x, dim=0, combine_mode="generic")


def make_running_sum():
    return running_sum, [((rows(),), {})]


def make_running_sum_of_subclass():
    return running_sum, [((tagged(),), {})]


class Cumulates(nn.Module):
    def combine(self, left, right):
        return {"a": left["a"] + right["a"], "n": left["n"]}

    def forward(self, x):
        return associative_scan(self.combine, {"a": x, "n": x * 2}, dim=0, combine_mode="generic")["a"]


def make_cumulates_dict():
    return Cumulates(), [((rows(),), {})]


def list_out(x):
    return associative_scan(lambda a, b: [a + b], x, dim=0, combine_mode="generic")


def make_list_out():
    return list_out, [((rows(),), {})]


def writes_left(x):
    return associative_scan(lambda a, b: a.add_(b) * 1, x, dim=0, combine_mode="generic")


def make_combine_writes_left():
    return writes_left, [((rows(),), {})]


def recurrence(x):
    return scan(lambda c, v: (c + v, c * v), torch.zeros(3), x)


def make_recurrence():
    return recurrence, [((rows(),), {})]


def single_result(x):
    return scan(lambda c, v: c + v, torch.zeros(3), x)


def make_step_with_one_result():
    return single_result, [((rows(),), {})]


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 3)

    def step(self, carry, value):
        new = torch.tanh(self.gate(value) + carry)
        return new, new.clone(), value.clone()

    def forward(self, x):
        return scan(self.step, torch.zeros(3), x)


def make_cell_with_three_results():
    return Cell(), [((rows(),), {})]


def returns_carry(x):
    return scan(lambda c, v: (c, v + c), torch.zeros(3), x)


def make_step_returns_carry():
    return returns_carry, [((rows(),), {})]


def counts_steps(x):
    return scan(lambda c, v: (c + v, 1.5), torch.zeros(3), x)


def make_step_with_number():
    return counts_steps, [((rows(),), {})]


def scaled_rows(x):
    return map_rows(lambda row: row * 2, x)


def make_scaled_rows():
    return scaled_rows, [((rows(),), {})]


def labelled_rows(x):
    return map_rows(lambda row: (row * 2, "row"), x)


def make_labelled_rows():
    return labelled_rows, [((rows(),), {})]


class Averages(nn.Module):
    def one(self, row):
        return row * 2, 0.5

    def forward(self, x):
        return map_rows(self.one, x)[0]


def make_rows_with_weight():
    return Averages(), [((rows(),), {})]


def rows_with_count(x):
    return map_rows(lambda row: (row * 2, row + 1), x)


def make_rows_with_second():
    return rows_with_count, [((rows(),), {})]


def written_rows(x, total):
    return map_rows(lambda row, t: t.add_(row) * 1, x, total)


def make_rows_written_to_total():
    return written_rows, [((rows(), torch.zeros(3)), {})]


class RunningMean(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def one(self, row):
        self.mean.mul_(0.9)
        return row - self.mean

    def forward(self, x):
        return map_rows(self.one, x)


def make_rows_change_buffer():
    return RunningMean(), [((rows(),), {})]


def same_rows(x):
    return map_rows(lambda row: row, x)


def make_rows_unchanged():
    return same_rows, [((rows(),), {})]


def viewed_rows(x):
    return map_rows(lambda row: row.view(3, 1), x)


def make_rows_viewed():
    return viewed_rows, [((rows(),), {})]
