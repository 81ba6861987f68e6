"""Objects that live across a cut of the graph, or are handed back."""

import contextlib
import functools
import itertools
import threading

import torch
from torch import nn


# --- generators and iterators handed over


def rows_of(x):
    for i in range(x.shape[0]):
        yield x[i] * 2


def lazy_rows(x):
    y = x + 1
    return y, (row.sum() for row in y)


def make_generator_returned():
    return lazy_rows, [((torch.randn(2, 3),), {})]


class Names(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        parts = self.parameters()
        y = self.lin(x)
        print(y.shape)
        return y + sum(p.sum() for p in parts)


def make_parameters_across_print():
    return Names(), [((torch.randn(2, 3),), {})]


class NamesLate(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        y = self.lin(x)
        print(y.shape)
        return y + sum(p.sum() for p in self.parameters())


def make_parameters_after_print():
    return NamesLate(), [((torch.randn(2, 3),), {})]


def counting(x, seen):
    def each():
        for i in range(3):
            seen.append(i)
            yield x * i

    return each()


def make_generator_with_append_returned():
    return counting, [((torch.randn(3), []), {})]


class Streams(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = {"n": 0}

    def stream(self, y):
        for i in range(2):
            self.steps["n"] = i
            yield y + i

    def forward(self, x):
        y = x.relu()
        rows = self.stream(y)
        print("rows")
        return sum(rows)


def make_generator_with_counter_across_print():
    return Streams(), [((torch.randn(3),), {})]


def counting_now(x, seen):
    def each():
        for i in range(3):
            seen.append(i)
            yield x * i

    return list(each())


def make_generator_with_append_used():
    return counting_now, [((torch.randn(3), []), {})]


@contextlib.contextmanager
def halved(x):
    yield x / 2


def scope_back(x):
    y = x + 1
    return y, halved(y)


def make_contextmanager_returned():
    return scope_back, [((torch.randn(3),), {})]


class KeepsScope(nn.Module):
    def forward(self, x):
        y = x.relu()
        scope = halved(y)
        print("made")
        with scope as z:
            return z + y


def make_contextmanager_across_print():
    return KeepsScope(), [((torch.randn(3),), {})]


def scope_entered(x):
    y = x + 1
    with halved(y) as z:
        return y + z


def make_contextmanager_entered():
    return scope_entered, [((torch.randn(3),), {})]


# --- other objects across a cut


class Helper:
    def __init__(self, scale):
        self.scale = scale

    def run(self, x):
        return x * self.scale


def bound_across(x):
    helper = Helper(2.0)
    step = helper.run
    y = x + 1
    print("cut")
    return step(y)


def make_bound_method_across_print():
    return bound_across, [((torch.randn(3),), {})]


def super_across(self, x):
    return x


class Child(nn.Linear):
    def forward(self, x):
        parent = super()
        y = x + 1
        print("cut")
        return parent.forward(y)


def make_super_across_print():
    return Child(3, 3), [((torch.randn(2, 3),), {})]


def handle_across(x):
    y = x * 2
    handle = y.register_hook(lambda g: g)
    print("cut")
    handle.remove()
    return y.sum()


def make_hook_handle_across_print():
    return handle_across, [((torch.randn(3, requires_grad=True),), {})]


def error_across(x):
    try:
        raise ValueError("late")
    except ValueError as error:
        kept = error
    y = x + 1
    print("cut")
    return y * len(kept.args)


def make_exception_across_print():
    return error_across, [((torch.randn(3),), {})]


def traceback_across(x):
    try:
        raise ValueError("late")
    except ValueError as error:
        kept = error.__traceback__
    y = x + 1
    print("cut")
    return y if kept is None else y * 2


def make_traceback_across_print():
    return traceback_across, [((torch.randn(3),), {})]


def groups_across(x):
    groups = itertools.groupby([1, 1, 2])
    y = x + 1
    print("cut")
    return y * len(list(groups))


def make_groupby_across_print():
    return groups_across, [((torch.randn(3),), {})]


def cycle_across(x):
    rows = itertools.cycle([1, 2])
    y = x * next(rows)
    print("cut")
    return y * next(rows)


def make_cycle_across_print():
    return cycle_across, [((torch.randn(3),), {})]


def zip_across(x):
    rows = zip([1, 2], [3, 4])
    next(rows)
    y = x + 1
    print("cut")
    return y * next(rows)[0]


def make_zip_across_print():
    return zip_across, [((torch.randn(3),), {})]


def class_across(x):
    class Local:
        scale = 2.0

    y = x + 1
    print("cut")
    return y * Local.scale


def make_local_class_across_print():
    return class_across, [((torch.randn(3),), {})]


def instance_back(x):
    Pair = type("Pair", (), {"scale": 2.0})
    pair = Pair()
    pair.value = x + 1
    return pair


def make_instance_of_type_call_returned():
    return instance_back, [((torch.randn(3),), {})]


class Builds(nn.Module):
    def forward(self, x):
        y = x.relu()
        Result = type("Result", (Helper,), {})
        out = Result(3.0)
        out.last = y
        print("cut")
        return out.run(y)


def make_instance_of_type_call_across_print():
    return Builds(), [((torch.randn(3),), {})]


def helper_back(x):
    helper = Helper(2.0)
    helper.value = x + 1
    return helper


def make_instance_of_class_returned():
    return helper_back, [((torch.randn(3),), {})]


def nested_list(x):
    rows = [x + 1]
    rows.append(rows)
    return rows


def make_list_in_itself_returned():
    return nested_list, [((torch.randn(3),), {})]


def nested_tuple(x):
    rows = []
    pair = (x + 1, rows)
    rows.append(pair)
    return pair


def make_tuple_in_itself_returned():
    return nested_tuple, [((torch.randn(3),), {})]


class Graphs(nn.Module):
    def forward(self, x):
        y = x.relu()
        seen = set()
        node = (y, seen, [])
        node[2].append(node)
        print("cut")
        return node[2][0][0]


def make_tuple_in_itself_across_print():
    return Graphs(), [((torch.randn(3),), {})]


def nested_dict(x):
    node = {"value": x + 1}
    node["self"] = node
    return node


def make_dict_in_itself_returned():
    return nested_dict, [((torch.randn(3),), {})]


def partial_in_itself(x):
    rows = []
    fn = functools.partial(max, rows)
    rows.append(fn)
    return x + 1, fn


def make_partial_in_itself_returned():
    return partial_in_itself, [((torch.randn(3),), {})]


def slice_in_itself(x):
    rows = []
    part = slice(rows, None)
    rows.append(part)
    return x + 1, part


def make_slice_in_itself_returned():
    return slice_in_itself, [((torch.randn(3),), {})]


# --- identities


def id_back(x):
    y = [x + 1]
    return y[0], id(y)


def make_id_of_list_returned():
    return id_back, [((torch.randn(3),), {})]


class Ids(nn.Module):
    def key(self, thing):
        return id(thing)

    def forward(self, x):
        y = x.relu()
        helper = Helper(2.0)
        key = self.key(helper)
        print("cut")
        return y if key else y + 1


def make_id_of_instance_across_print():
    return Ids(), [((torch.randn(3),), {})]


def id_in_dict(x):
    y = [x + 1]
    seen = {id(y): 2.0}
    return x * seen[id(y)]


def make_id_of_list_as_key():
    return id_in_dict, [((torch.randn(3),), {})]


def ids_ordered(x):
    a, b = [x], [x + 1]
    return a[0] if id(a) < id(b) else b[0]


def make_ids_ordered():
    return ids_ordered, [((torch.randn(3),), {})]


class Orders(nn.Module):
    def forward(self, x):
        y = x.relu()
        token = object()
        if id(token) == 0:
            return y
        return y + 1


def make_id_against_number():
    return Orders(), [((torch.randn(3),), {})]


def ids_same(x):
    a = [x]
    b = a
    return x * 2 if id(a) == id(b) else x


def make_ids_equal():
    return ids_same, [((torch.randn(3),), {})]


# --- tensors that are handed back from special places


class Locked(nn.Module):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def forward(self, x):
        y = x.relu()
        with self.lock:
            return y * 2


def make_lock_entered():
    return Locked(), [((torch.randn(3),), {})]


def given_scope(x, scope):
    with scope:
        return x * 2


def make_lock_given():
    return given_scope, [((torch.randn(3), threading.Lock()), {})]


def make_nullcontext_given():
    return given_scope, [((torch.randn(3), contextlib.nullcontext()), {})]
