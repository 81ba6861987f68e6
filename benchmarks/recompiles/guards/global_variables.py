"""Guards on globals of the module, attributes of classes and attributes of functions."""

from __future__ import annotations

import torch

X = torch.ones(2, 4)

STEP = 0
READY = False
TABLE = None
PHASE = "first"
ACT = torch.relu
LAST = torch.zeros(2, 4)
ONLY = None
DEPTH = 0
KIND = "run"
SIZES = (1, 2)


def _step(x):
    global STEP
    STEP += 1
    return x * STEP


def make_global_counter():
    return _step, (X,)


def _ready(x):
    global READY
    if not READY:
        READY = True
        return x * 0.5
    return x


def make_global_flag():
    return _ready, (X,)


def _table(x):
    global TABLE
    if TABLE is None:
        TABLE = torch.arange(4.0)
    return x + TABLE


def make_global_none():
    return _table, (X,)


def _phase(x):
    global PHASE
    out = x * 2 if PHASE == "first" else x
    PHASE = "second"
    return out


def make_global_text():
    return _phase, (X,)


def _act(x):
    global ACT
    out = ACT(x)
    ACT = torch.tanh
    return out


def make_global_function():
    return _act, (X,)


def _sizes(x):
    global SIZES
    out = x * SIZES[-1]
    SIZES = (*SIZES, 3)
    return out


def make_global_tuple():
    return _sizes, (X,)


class Registry:
    calls = 0
    cache = None


def _class_counter(x):
    Registry.calls += 1
    return x * Registry.calls


def make_class_counter():
    Registry.calls = 0
    return _class_counter, (X,)


def _class_cache(x):
    if Registry.cache is None:
        Registry.cache = torch.arange(4.0)
    return x + Registry.cache


def make_class_none():
    Registry.cache = None
    return _class_cache, (X,)


def _own_attribute(x):
    if not hasattr(_own_attribute, "table"):
        _own_attribute.table = torch.arange(4.0)
    return x + _own_attribute.table


def make_attribute_of_the_function():
    return _own_attribute, (X,)


def _last(x):
    global LAST
    out = x + LAST
    LAST = x.detach() * 2
    return out


def make_global_tensor():
    return _last, (X,)


def _only(x):
    global ONLY
    ONLY = x * 2
    return ONLY + 1


def make_global_written_first():
    return _only, (X,)


def _depth(x):
    global DEPTH
    DEPTH += 1
    out = x * DEPTH
    DEPTH -= 1
    return out


def make_global_put_back():
    return _depth, (X,)


def _kind(x):
    global KIND
    out = x * 2 if KIND == "run" else x
    KIND = "run"
    return out


def make_global_same_text():
    return _kind, (X,)


def _shadow(x):
    STEP = 1
    STEP += 1
    return x * STEP


def make_local_of_the_same_name():
    return _shadow, (X,)
