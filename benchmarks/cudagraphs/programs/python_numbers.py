"""Numbers of Python: random ones, arguments, attributes."""

import math
import random

import numpy as np
import torch
from torch import nn


def random_factor(x):
    return x * random.random()


def make_random_factor():
    return random_factor, [((torch.randn(3, 4),), {})]


def random_uniform(x):
    return x + random.uniform(-1, 1)


def make_random_uniform():
    return random_uniform, [((torch.randn(3, 4),), {})]


def random_integer(x):
    return x + random.randint(0, 5)


def make_random_integer():
    return random_integer, [((torch.randn(3, 4),), {})]


def numpy_random(x):
    return x * float(np.random.rand())


def make_numpy_random():
    return numpy_random, [((torch.randn(3, 4),), {})]


def device_random(x):
    return x * torch.rand((), device=x.device)


def make_device_random():
    return device_random, [((torch.randn(3, 4),), {})]


def host_random_number(x):
    return x * torch.rand(())


def make_host_random_number():
    return host_random_number, [((torch.randn(3, 4),), {})]


def host_random_one(x):
    return x * torch.rand(1).to(x.device)


def make_host_random_one():
    return host_random_one, [((torch.randn(3, 4),), {})]


def float_argument(x, factor):
    return x * factor


def make_float_argument():
    return float_argument, [((torch.randn(3, 4), 0.5), {}), ((torch.randn(3, 4), 0.25), {})]


def float_argument_the_same(x, factor):
    return x * factor


def make_float_argument_the_same():
    return float_argument_the_same, [((torch.randn(3, 4), 0.5), {}), ((torch.randn(3, 4), 0.5), {})]


def integer_argument(x, factor):
    return x * factor


def make_integer_argument():
    return integer_argument, [((torch.randn(3, 4), 5), {}), ((torch.randn(3, 4), 7), {})]


def flag_argument(x, flag):
    return x * 2 if flag else x


def make_flag_argument():
    return flag_argument, [((torch.randn(3, 4), True), {}), ((torch.randn(3, 4), False), {})]


def power_of_float(x, step):
    return x * math.exp(-step)


def make_power_of_float():
    return power_of_float, [((torch.randn(3, 4), 0.5), {}), ((torch.randn(3, 4), 0.25), {})]


def tensor_argument(x, factor):
    return x * factor


def make_tensor_argument():
    return tensor_argument, [((torch.randn(3, 4), torch.tensor(0.5)), {}), ((torch.randn(3, 4), torch.tensor(0.2)), {})]


class FloatAttribute(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = 1.0

    def forward(self, x):
        self.temperature = self.temperature * 0.9
        return x / self.temperature


def make_float_attribute():
    return FloatAttribute(), [((torch.randn(3, 4),), {})]


class FloatFixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = 0.7

    def forward(self, x):
        return x / self.temperature


def make_float_fixed():
    return FloatFixed(), [((torch.randn(3, 4),), {})]


class StepCounter(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x):
        self.step += 1
        return x * self.step


def make_step_counter():
    return StepCounter(), [((torch.randn(3, 4),), {})]


class StepBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.step += 1
        return x * self.step


def make_step_buffer():
    return StepBuffer(), [((torch.randn(3, 4),), {})]


class StepTensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = torch.zeros(())

    def forward(self, x):
        self.step += 1
        return x * self.step


def make_step_tensor():
    return StepTensor(), [((torch.randn(3, 4),), {})]


def number_made_of_float(x, lr):
    return x - torch.full((), lr, device=x.device) * x


def make_number_made_of_float():
    return number_made_of_float, [((torch.randn(3, 4), 0.5), {}), ((torch.randn(3, 4), 0.25), {})]


def floats_in_list(x, weights):
    return x * weights[0] + weights[1]


def make_floats_in_list():
    return floats_in_list, [((torch.randn(3, 4), [0.5, 0.1]), {}), ((torch.randn(3, 4), [0.25, 0.2]), {})]


def float_compared(x, rate):
    if rate > 0.3:
        return x * 2
    return x


def make_float_compared():
    return float_compared, [((torch.randn(3, 4), 0.5), {}), ((torch.randn(3, 4), 0.4), {})]


def float_of_sizes(x):
    return x * (x.shape[-1] ** -0.5)


def make_float_of_sizes():
    return float_of_sizes, [((torch.randn(3, 4),), {}), ((torch.randn(3, 8),), {})]


def rate_of_dropout(x, rate):
    return torch.nn.functional.dropout(x, rate, training=True)


def make_rate_of_dropout():
    return rate_of_dropout, [((torch.randn(3, 4), 0.5), {}), ((torch.randn(3, 4), 0.25), {})]


def clamped_by_float(x, limit):
    return x.clamp(-limit, limit)


def make_clamped_by_float():
    return clamped_by_float, [((torch.randn(3, 4), 0.5), {}), ((torch.randn(3, 4), 0.25), {})]


def added_with_alpha(x, y, alpha):
    return torch.add(x, y, alpha=alpha)


def make_added_with_alpha():
    return added_with_alpha, [
        ((torch.randn(3), torch.randn(3), 0.5), {}),
        ((torch.randn(3), torch.randn(3), 0.25), {}),
    ]


def random_choice(x):
    return x * random.choice([0.5, 2.0])


def make_random_choice():
    return random_choice, [((torch.randn(3, 4),), {})]


def layer_dropped(x):
    if random.random() < 0.5:
        return x
    return x * 2


def make_layer_dropped():
    return layer_dropped, [((torch.randn(3, 4),), {})]


def seeded(x):
    torch.manual_seed(0)
    return x + torch.rand_like(x)


def make_seeded():
    return seeded, [((torch.randn(3, 4),), {})]


def own_generator(x):
    rng = random.Random(0)
    return x * rng.random()


def make_own_generator():
    return own_generator, [((torch.randn(3, 4),), {})]


def uniform_in_place(x):
    return x + torch.empty_like(x).uniform_(-1, 1)


def make_uniform_in_place():
    return uniform_in_place, [((torch.randn(3, 4),), {})]


def host_uniform_in_place(x):
    return x + torch.empty(3, 4).uniform_(-1, 1).to(x.device)


def make_host_uniform_in_place():
    return host_uniform_in_place, [((torch.randn(3, 4),), {})]


def bernoulli_of_probability(x):
    keep = torch.bernoulli(torch.full((3, 1), 0.9))
    return x * keep.to(x.device)


def make_bernoulli_of_probability():
    return bernoulli_of_probability, [((torch.randn(3, 4),), {})]


def stochastic_depth(x):
    keep = x.new_empty((x.shape[0], 1)).bernoulli_(0.9)
    return x * keep / 0.9


def make_stochastic_depth():
    return stochastic_depth, [((torch.randn(3, 4),), {})]


def multinomial_sample(x):
    return torch.multinomial(x.softmax(-1), 1)


def make_multinomial_sample():
    return multinomial_sample, [((torch.randn(3, 4),), {})]


def float_from_numpy(x, values):
    return x * float(values.mean())


def make_float_from_numpy():
    return float_from_numpy, [((torch.randn(3, 4), np.ones(3)), {}), ((torch.randn(3, 4), np.zeros(3)), {})]
