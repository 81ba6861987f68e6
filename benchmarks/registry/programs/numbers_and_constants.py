"""Random numbers of Python, numpy and results held constant."""

import random

import numpy as np
import torch
from torch import nn

# --- random generators of Python


def seeded(x):
    source = random.Random(3)
    return x * source.random()


def make_random_class():
    return seeded, [((torch.randn(3),), {})]


def seeded_keyword(x):
    source = random.Random(x=3)
    return x * source.uniform(0, 1)


def make_random_class_keyword():
    return seeded_keyword, [((torch.randn(3),), {})]


class Jitter(nn.Module):
    def __init__(self, *seeds):
        super().__init__()
        self.seeds = seeds

    def forward(self, x):
        y = x.relu()
        try:
            source = random.Random(*self.seeds)
        except TypeError:
            return y
        return y + source.uniform(0, 1)


def make_random_class_two_seeds():
    return Jitter(1, 2), [((torch.randn(3),), {})]


def make_random_class_one_seed():
    return Jitter(1), [((torch.randn(3),), {})]


# --- numpy


def np_mean(x):
    return np.mean(x.numpy())


def make_numpy_mean():
    return np_mean, [((torch.randn(3),), {})]


def np_percentile(x):
    return np.interp(x.numpy(), [0.0, 1.0], [0.0, 2.0])


def make_numpy_interp():
    return np_percentile, [((torch.randn(3),), {})]


class Unwrap(nn.Module):
    def host(self, x):
        return np.unwrap(x.detach().numpy())

    def forward(self, x):
        y = x.cumsum(0)
        return torch.from_numpy(self.host(y))


def make_numpy_unwrap():
    return Unwrap(), [((torch.randn(3),), {})]


def np_limits(x):
    return x * np.finfo(np.float32).eps


def make_numpy_finfo():
    return np_limits, [((torch.randn(3),), {})]


def np_outer(x):
    a = x.numpy()
    return np.add.outer(a, a)


def make_numpy_ufunc_outer():
    return np_outer, [((torch.randn(3),), {})]


class Accumulates(nn.Module):
    def forward(self, x):
        a = x.abs().numpy()
        return torch.from_numpy(np.maximum.accumulate(a))


def make_numpy_ufunc_accumulate():
    return Accumulates(), [((torch.randn(3),), {})]


def np_add(x):
    a = x.numpy()
    return np.add(a, a)


def make_numpy_ufunc_called():
    return np_add, [((torch.randn(3),), {})]


def np_function_attribute(x):
    return x * len(np.sum.__name__)


def make_numpy_function_name():
    return np_function_attribute, [((torch.randn(3),), {})]


OBJECTS = np.array(["a", None], dtype=object)


def count_objects(x):
    return x * len(OBJECTS)


def make_numpy_object_array():
    return count_objects, [((torch.randn(3),), {})]


class Vocabulary(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.words = words

    def forward(self, x):
        y = x.relu()
        return y * self.words.shape[0]


def make_numpy_text_array():
    return Vocabulary(np.array(["a", "b"])), [((torch.randn(3),), {})]


def make_numpy_number_array():
    return Vocabulary(np.array([1.0, 2.0])), [((torch.randn(3),), {})]


# --- constant results


@torch._dynamo.assume_constant_result
def config_value(name):
    return 3.0


def scaled_by_config(x):
    return x * config_value("a")


def make_constant_result():
    return scaled_by_config, [((torch.randn(3),), {})]


def config_of_list(x):
    return x * config_value([x, 1])


def make_constant_result_of_tensor_list():
    return config_of_list, [((torch.randn(3),), {})]


class ConstantOf(nn.Module):
    def forward(self, x):
        y = x.relu()
        return y * config_value({"a": y})


def make_constant_result_of_tensor_dict():
    return ConstantOf(), [((torch.randn(3),), {})]


def plain_helper(x):
    return x * 2


# --- nested functions shown


def show_nested(x):
    def inner(y):
        return y * x

    return inner(x) * (1 if "inner" in repr(inner) else 2)


def make_repr_of_closure():
    return show_nested, [((torch.randn(3),), {})]


class ShowsNested(nn.Module):
    def forward(self, x):
        y = x.relu()
        fn = lambda z: z + y
        return fn(x) * len(repr(fn)[:3])


def make_repr_of_lambda_closure():
    return ShowsNested(), [((torch.randn(3),), {})]


def show_function(x):
    return x * len(repr(plain_helper)[:5])


def make_repr_of_function():
    return show_function, [((torch.randn(3),), {})]


def show_simple_nested(x):
    def inner(y):
        return y * 2

    return inner(x) * (1 if "inner" in repr(inner) else 2)


def make_repr_of_nested():
    return show_simple_nested, [((torch.randn(3),), {})]
