"""CLOSURE_MATCH and constants in cells: variables of an enclosing function that the compiled code writes."""

from __future__ import annotations

import torch

X = torch.ones(2, 4)


def make_enclosed_counter_used():
    count = 0

    def step(x):
        nonlocal count
        count += 1
        return x * count

    return step, (X,)


def make_enclosed_flag():
    first = True

    def step(x):
        nonlocal first
        if first:
            first = False
            return x * 0.5
        return x

    return step, (X,)


def make_enclosed_none():
    previous = None

    def step(x):
        nonlocal previous
        out = x if previous is None else x - previous
        previous = x.detach()
        return out

    return step, (X,)


def make_enclosed_list():
    seen = []

    def step(x):
        seen.append(x.detach())
        return x + len(seen)

    return step, (X,)


def make_enclosed_function_replaced():
    act = torch.relu

    def step(x):
        nonlocal act
        out = act(x)
        act = torch.tanh
        return out

    return step, (X,)


def make_enclosed_text():
    phase = "warm"

    def step(x):
        nonlocal phase
        out = x * 2 if phase == "warm" else x
        phase = "run"
        return out

    return step, (X,)


def make_enclosed_float_decays():
    rate = 1.0

    def step(x):
        nonlocal rate
        rate = rate * 0.5
        return x * rate

    return step, (X,)


def make_enclosed_by_two():
    state = {"n": 0}

    def outer(x):
        def inner(y):
            state["n"] += 1
            return y * state["n"]

        return inner(x)

    return outer, (X,)


def make_enclosed_tensor():
    total = torch.zeros(2, 4)

    def step(x):
        nonlocal total
        total = total + x.detach()
        return x + total

    return step, (X,)


def make_enclosed_written_first():
    last = None

    def step(x):
        nonlocal last
        last = x * 2
        return last + 1

    return step, (X,)


def make_own_cell():
    def step(x):
        count = 0

        def add(y):
            nonlocal count
            count += 1
            return y * count

        return add(add(x))

    return step, (X,)


def make_enclosed_put_back():
    depth = 0

    def step(x):
        nonlocal depth
        depth += 1
        out = x * depth
        depth -= 1
        return out

    return step, (X,)


def make_enclosed_same_value():
    phase = "run"

    def step(x):
        nonlocal phase
        out = x * 2 if phase == "run" else x
        phase = "run"
        return out

    return step, (X,)


def make_enclosed_list_item():
    slots = [torch.zeros(4)]

    def step(x):
        out = x + slots[0]
        slots[0] = x.detach().mean(0)
        return out

    return step, (X,)
