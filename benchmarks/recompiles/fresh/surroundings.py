"""GLOBAL_STATE, GRAD_MODE, DEFAULT_DEVICE, NN_MODULE, FUNCTION_MATCH, closure cells, defaults: what stands around the code."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)
CONFIG = {"level": 0}
REGISTRY = []


def _level(x):
    CONFIG["level"] += 1
    return x * CONFIG["level"]


def make_global_dict_counts_up():
    CONFIG["level"] = 0
    return _level, (X,)


def _registered(x):
    REGISTRY.append(x.shape[0])
    return x * len(REGISTRY)


def make_global_registry_grows():
    REGISTRY.clear()
    return _registered, (X,)


def _default(x, *, scale=1):
    out = x * scale
    _default.__kwdefaults__["scale"] = 2
    return out


def make_keyword_default_changed():
    _default.__kwdefaults__["scale"] = 1
    return _default, (X,)


class Owner:
    count = 0
    listeners = []


def _class_list(x):
    Owner.listeners.append(1)
    return x + len(Owner.listeners)


def make_class_list_grows():
    Owner.listeners = []
    return _class_list, (X,)


class Switching(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Dropout(0.5)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        for module in self.modules():
            module.training = False
        return x


def make_all_modules_put_to_eval():
    return Switching(), (X,)


class Probability(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        out = self.drop(x)
        self.drop.p = min(0.5, self.drop.p + 0.1)
        return out


def make_dropout_probability_annealed():
    return Probability(), (X,)


def _context(x):
    torch.autograd.set_grad_enabled(False)
    return x * 2


def make_grad_off_by_the_autograd_name():
    return _context, (X,)


def _nonlocal_pair():
    low, high = 0, 1

    def step(x):
        nonlocal low, high
        low, high = high, low + high
        return x * low

    return step


def make_enclosed_pair_advances():
    return _nonlocal_pair(), (X,)


def _precision_by_flag(x):
    torch.backends.cuda.matmul.allow_tf32 = not torch.backends.cuda.matmul.allow_tf32
    return x @ x.t()


def make_precision_flag_toggled():
    return _precision_by_flag, (X,)


def _dtype_from_input(x):
    torch.set_default_dtype(torch.bfloat16)
    return torch.zeros_like(x) + x


def make_default_dtype_in_half():
    return _dtype_from_input, (X,)


def _threads_from_shape(x):
    torch.set_num_threads(3)
    return x.sum() + 1


def make_threads_set_to_three():
    return _threads_from_shape, (X,)


def _device_meta(x):
    torch.set_default_device("cpu")
    return x + torch.ones(4)


def make_default_device_cpu():
    return _device_meta, (X,)


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.expert = nn.Linear(4, 4)

    def forward(self, x):
        out = self.expert(x)
        self.expert = nn.Linear(4, 4, bias=False)
        return out


def make_expert_replaced():
    return Gate(), (X,)


# ------------------------------------------------------------------ near misses


def _level_read(x):
    return x * CONFIG["level"]


def make_global_dict_read():
    CONFIG["level"] = 2
    return _level_read, (X,)


def _level_written_first(x):
    CONFIG["level"] = x.shape[0]
    return x * CONFIG["level"]


def make_global_dict_item_written_first():
    CONFIG["level"] = 0
    return _level_written_first, (X,)


def _registry_scratch(x):
    REGISTRY.append(x * 2)
    return REGISTRY.pop() + 1


def make_global_registry_push_and_pop():
    REGISTRY.clear()
    return _registry_scratch, (X,)


class EvalInside(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Dropout(0.5)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x) if layer.training or isinstance(layer, nn.Linear) else x
        return x


def make_modes_only_read():
    return EvalInside().eval(), (X,)


class ProbabilityRead(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return nn.functional.dropout(x, min(0.5, self.drop.p + 0.1), self.training)


def make_dropout_probability_read():
    return ProbabilityRead(), (X,)


@torch.no_grad()
def _plain_no_grad(x):
    with torch.enable_grad():
        y = x * 2
    return y + 1


def make_enabled_inside_no_grad():
    return _plain_no_grad, (X,)


def _enclosed_local():
    low, high = 0, 1

    def step(x):
        a, b = low, high
        for _ in range(5):
            a, b = b, a + b
        return x * a

    return step


def make_enclosed_pair_only_read():
    return _enclosed_local(), (X,)


def _precision_usual(x):
    torch.backends.cuda.matmul.allow_tf32 = False
    return x @ x.t()


def make_precision_flag_as_it_was():
    return _precision_usual, (X,)


def _autocast_flag(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return x @ x.t()


def make_autocast_in_half():
    return _autocast_flag, (X,)


def _deterministic_usual(x):
    torch.use_deterministic_algorithms(torch.are_deterministic_algorithms_enabled())
    return x.cumsum(0)


def make_deterministic_read_and_set():
    return _deterministic_usual, (X,)


def _threads_usual(x):
    torch.set_num_threads(torch.get_num_threads())
    return x + 1


def make_threads_read_and_set():
    return _threads_usual, (X,)
