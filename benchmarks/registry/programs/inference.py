"""Models and operators of one's own called without gradients, and services of Python inside a model."""

import unittest

import torch
from torch import nn
from torch.autograd import Function
from torch.utils.data import DataLoader


class Doubler:
    def __call__(self, ctx, x):
        return x * 2


class ObjectForward(Function):
    forward = Doubler()

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class PlainForward(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def doubled(x):
    with torch.no_grad():
        return ObjectForward.apply(x)


def make_object_forward_in_no_grad():
    return doubled, [((torch.randn(3),), {})]


class Doubles(nn.Module):
    def __init__(self, op):
        super().__init__()
        self.op = op

    @torch.no_grad()
    def forward(self, x):
        y = x.sin()
        return self.op.apply(y)


def make_object_forward_of_module_in_no_grad():
    return Doubles(ObjectForward), [((torch.randn(3),), {})]


def make_plain_forward_of_module_in_no_grad():
    return Doubles(PlainForward), [((torch.randn(3),), {})]


class Shift(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


def shifted(x):
    y = x * 2
    with torch.no_grad():
        return Shift.apply(y)


def make_dirty_in_no_grad():
    return shifted, [((torch.randn(3),), {})]


def make_dirty_of_module_in_no_grad():
    return Doubles(Shift), [((torch.randn(3),), {})]


def make_dirty_with_grad():
    return lambda x: Shift.apply(x * 2), [((torch.randn(3, requires_grad=True),), {})]


class Check(unittest.TestCase):
    def runTest(self):
        pass


def checked(x):
    case = Check()
    return x * len(case.id()[:1])


def make_test_case_built():
    return checked, [((torch.randn(3),), {})]


class Loads(nn.Module):
    def rows(self, y):
        return DataLoader([y, y + 1])

    def forward(self, x):
        y = x.relu()
        return y + len(self.rows(y))


def make_loader_built_in_method():
    return Loads(), [((torch.randn(3),), {})]


def pairs(x):
    rows = [x, x + 1]
    return x + len(rows)


def make_list_built():
    return pairs, [((torch.randn(3),), {})]
