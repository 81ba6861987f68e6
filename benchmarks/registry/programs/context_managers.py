"""`with` blocks and what leaves them; RNG, streams and profilers."""

import torch
from torch import nn


def x3():
    return torch.randn(3)


def timed(x):
    profiler = torch.profiler.profile()
    with profiler:
        y = x * 2
    return y, profiler


def make_profile_returned():
    return timed, [((x3(),), {})]


class Timed(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        with torch.autograd.profiler.profile() as profiler:
            y = x.relu()
        self.last = profiler
        return y


def make_profile_kept():
    return Timed(), [((x3(),), {})]


def timed_inside(x):
    with torch.profiler.profile():
        y = x * 2
    return y


def make_profile_inside():
    return timed_inside, [((x3(),), {})]


def same_version(x):
    keep = torch.autograd._unsafe_preserve_version_counter(x)
    with keep:
        x.add_(1)
    return x * 2, keep


def make_version_kept_returned():
    return same_version, [((x3(),), {})]


class Updates(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(3))

    def guard(self):
        return torch.autograd._unsafe_preserve_version_counter(self.state)

    def forward(self, x):
        with self.guard():
            self.state.add_(x)
            print("updated")
        return self.state * 2


def make_version_kept_and_reported():
    return Updates(), [((x3(),), {})]


def version_inside(x):
    with torch.autograd._unsafe_preserve_version_counter(x):
        x.add_(1)
    return x * 2


def make_version_inside():
    return version_inside, [((x3(),), {})]


def annotated(x):
    with torch.fx.traceback.annotate({"stage": 0}):
        y = x * 2
        print("stage done")
        z = y + 1
    return z


def make_annotated_and_reported():
    return annotated, [((x3(),), {})]


class Stages(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def run(self, x):
        h = self.body(x)
        return h * h.max().item()

    def forward(self, x):
        with torch.fx.traceback.annotate({"stage": 1}):
            return self.run(x)


def make_annotated_stage():
    return Stages(), [((x3(),), {})]


def annotated_inside(x):
    with torch.fx.traceback.annotate({"stage": 0}):
        y = x * 2
    return y


def make_annotated_inside():
    return annotated_inside, [((x3(),), {})]


def entered(x):
    enter = torch.no_grad().__enter__
    print("entering")
    enter()
    y = x * 2
    return y


def make_enter_kept():
    return entered, [((x3(),), {})]


class Switches(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = None

    def forward(self, x):
        mode = torch.set_grad_enabled(True)
        self.start = mode.__enter__
        return x * 2


def make_enter_stored():
    return Switches(), [((x3(),), {})]


def entered_at_once(x):
    mode = torch.no_grad()
    mode.__enter__()
    y = x * 2
    mode.__exit__(None, None, None)
    return y


def make_entered_at_once():
    return entered_at_once, [((x3(),), {})]


class Holder:
    def __init__(self):
        self.enter = None


def kept_entry(x, holder):
    mode = torch.no_grad()
    holder.enter = mode.__enter__
    return x * 2


def make_entry_kept_by_object():
    return kept_entry, [((x3(), Holder()), {})]


def entry_returned(x):
    mode = torch.autocast("cpu")
    return x * 2, mode.__enter__


def make_entry_returned():
    return entry_returned, [((x3(),), {})]


class Enters(nn.Module):
    def forward(self, x):
        enter = torch.set_grad_enabled(False).__enter__
        y = x * x.max().item()
        enter()
        return y


def make_entry_across():
    return Enters(), [((x3(),), {})]
