"""itertools, generators and what they are given."""

import itertools
import math

import torch
from torch import nn


def products(x):
    for a, b in itertools.product([1, 2], repeat=2):
        x = x + a * b
    return x


def make_product_repeat():
    return products, [((torch.randn(3),), {})]


def products_wrong(x):
    try:
        rows = itertools.product([1, 2], times=2)
    except TypeError:
        return x * 2
    return x * len(list(rows))


def make_product_unknown_keyword():
    return products_wrong, [((torch.randn(3),), {})]


class Pairs(nn.Module):
    def grid(self, **options):
        return itertools.product([1], [2], **options)

    def forward(self, x, options):
        y = x.relu()
        try:
            return y * len(list(self.grid(**options)))
        except TypeError:
            return y


def make_product_keyword_spread():
    return Pairs(), [((torch.randn(3), {"count": 2}), {})]


def make_product_repeat_spread():
    return Pairs(), [((torch.randn(3), {"repeat": 2}), {})]


def grouped(x, rows):
    for key, group in itertools.groupby(rows):
        x = x + key * len(list(group))
    return x


def make_groupby_numbers():
    return grouped, [((torch.randn(3), [1, 1, 2]), {})]


def grouped_wrong(x, rows):
    try:
        groups = itertools.groupby(rows, by=abs)
    except TypeError:
        return x * 2
    return x * len(list(groups))


def make_groupby_unknown_keyword():
    return grouped_wrong, [((torch.randn(3), [1, 1, 2]), {})]


class Buckets(nn.Module):
    def groups(self, rows, **options):
        return list(itertools.groupby(rows, **options))

    def forward(self, x, rows, options):
        y = x.neg()
        try:
            return y * len(self.groups(rows, **options))
        except TypeError:
            return y


def make_groupby_keyword_spread():
    return Buckets(), [((torch.randn(3), [1, 2], {"keyword": None}), {})]


def make_groupby_key_spread():
    return Buckets(), [((torch.randn(3), [1, 2], {"key": None}), {})]


def grouped_position(x, rows):
    groups = itertools.groupby(rows, abs)
    return x * len(list(groups))


def make_groupby_key_by_position():
    return grouped_position, [((torch.randn(3), [1, -1, 2]), {})]


class Runs(nn.Module):
    def sign(self, value):
        return value > 0

    def forward(self, x, rows):
        y = x.relu()
        for positive, run in itertools.groupby(rows, self.sign):
            y = y + len(list(run))
        return y


def make_groupby_method_by_position():
    return Runs(), [((torch.randn(3), [1, -1, 2]), {})]


def grouped_key(x, rows):
    groups = itertools.groupby(rows, key=abs)
    return x * len(list(groups))


def make_groupby_key_by_name():
    return grouped_key, [((torch.randn(3), [1, -1, 2]), {})]


def grouped_tensors(x):
    groups = itertools.groupby([x[0], x[1]], key=lambda row: row.sum())
    return x * len(list(groups))


def make_groupby_tensor_key():
    return grouped_tensors, [((torch.randn(2, 3),), {})]


class Tensors(nn.Module):
    def forward(self, x):
        rows = x.relu().unbind(0)
        total = 0
        for key, run in itertools.groupby(rows, key=torch.max):
            total = total + key
        return total


def make_groupby_max_key():
    return Tensors(), [((torch.randn(2, 3),), {})]


def grouped_rows(x):
    groups = itertools.groupby([x[0], x[1]], key=lambda row: row.shape[0])
    return x * len(list(groups))


def make_groupby_shape_key():
    return grouped_rows, [((torch.randn(2, 3),), {})]


def fails(value):
    raise ValueError(value)


def grouped_failing(x, rows):
    try:
        return x * len(list(itertools.groupby(rows, key=fails)))
    except ValueError:
        return x + 1


def make_groupby_key_raises():
    return grouped_failing, [((torch.randn(3), [1, 2]), {})]


class Sorted(nn.Module):
    def forward(self, x, rows, table):
        y = x.relu()
        try:
            groups = itertools.groupby(rows, key=lambda name: table[name])
            return y * len(list(groups))
        except KeyError:
            return y


def make_groupby_key_missing():
    return Sorted(), [((torch.randn(3), ["a", "b"], {"a": 1}), {})]


def make_groupby_key_found():
    return Sorted(), [((torch.randn(3), ["a", "b"], {"a": 1, "b": 1}), {})]


def triples(x):
    for a, b in itertools.pairwise([1, 2, 3]):
        x = x + a * b
    return x


def make_pairwise():
    return triples, [((torch.randn(3),), {})]


def batches(x):
    total = 0
    for a in itertools.combinations_with_replacement([1, 2], 2):
        total += sum(a)
    return x * total


def make_combinations_with_replacement():
    return batches, [((torch.randn(3),), {})]


def teed(x):
    a, b = itertools.tee([1, 2])
    return x * (sum(a) + sum(b))


def make_tee():
    return teed, [((torch.randn(3),), {})]


def star(x):
    return x * sum(itertools.starmap(pow, [(2, 3), (3, 2)]))


def make_starmap():
    return star, [((torch.randn(3),), {})]


# --- generators


def countdown(n):
    while n:
        yield n
        n -= 1


def sums(x):
    for n in countdown(3):
        x = x + n
    return x


def make_generator_loop():
    return sums, [((torch.randn(3),), {})]


def forever():
    while True:
        yield 1


def list_forever(x):
    values = forever()
    total = [next(values) for _ in range(3)]
    return x * sum(total)


def make_generator_without_end_sampled():
    return list_forever, [((torch.randn(3),), {})]


def delegate(values):
    result = yield from values
    return result


def delegated(x, values):
    return x * sum(delegate(values))


def make_yield_from_list():
    return delegated, [((torch.randn(3), [1, 2]), {})]


class Rows:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)


def make_yield_from_object():
    return delegated, [((torch.randn(3), Rows([1, 2])), {})]


def make_yield_from_iterator_given():
    return delegated, [((torch.randn(3), iter([1, 2])), {})]


def echo():
    got = yield 1
    while True:
        got = yield got * 2


def passing():
    yield from echo()


def sends(x):
    talk = echo()
    next(talk)
    return x * talk.send(3)


def make_send_to_generator():
    return sends, [((torch.randn(3),), {})]


def sends_through(x):
    talk = passing()
    next(talk)
    return x * talk.send(3)


def make_send_through_yield_from():
    return sends_through, [((torch.randn(3),), {})]


class Talks(nn.Module):
    def inner(self):
        got = yield 2
        yield got + 1

    def outer(self):
        yield from self.inner()

    def forward(self, x):
        y = x.relu()
        talk = self.outer()
        y = y * next(talk)
        return y + talk.send(y)


def make_send_tensor_through_yield_from():
    return Talks(), [((torch.randn(3),), {})]


def closes(x):
    values = countdown(3)
    y = x + next(values)
    values.close()
    return y


def make_generator_closed():
    return closes, [((torch.randn(3),), {})]


def throws(x):
    def careful():
        try:
            yield 1
        except ValueError:
            yield 2

    values = careful()
    y = x + next(values)
    return y * values.throw(ValueError)


def make_generator_thrown_into():
    return throws, [((torch.randn(3),), {})]


def running(x):
    values = countdown(2)
    return x * (1 if values.gi_running else 2)


def make_generator_state():
    return running, [((torch.randn(3),), {})]


async def one():
    return 2.0


async def two(x):
    return x * await one()


def drives(x):
    job = two(x)
    try:
        job.send(None)
    except StopIteration as stop:
        return stop.value


def make_coroutine_driven():
    return drives, [((torch.randn(3),), {})]


class Awaits(nn.Module):
    async def inner(self, x):
        return x + 1

    async def outer(self, x):
        y = await self.inner(x)
        return y * 2

    def forward(self, x):
        y = x.relu()
        try:
            self.outer(y).send(None)
        except StopIteration as stop:
            return stop.value


def make_coroutine_driven_in_module():
    return Awaits(), [((torch.randn(3),), {})]


def flatten(values):
    for value in values:
        if isinstance(value, list):
            yield from flatten(value)
        else:
            yield value


def flat_sum(x):
    return x * sum(flatten([1, [2, [3]]]))


def make_generator_recursive():
    return flat_sum, [((torch.randn(3),), {})]


# --- the largest of what an iterator gives, by a key and of pairs; objects that are sorted; numbers of an iterator

NAMED = {"a": 1, "b": 3}


def largest_of_pairs(x):
    return x * max(zip((1, 2), (3, 4)))[1]


def make_max_of_pairs():
    return largest_of_pairs, [((torch.randn(3),), {})]


def largest_by_key(x):
    return x * max(NAMED.items(), key=lambda item: item[1])[1]


def make_max_by_key():
    return largest_by_key, [((torch.randn(3),), {})]


class Ranked:
    def __init__(self, rank):
        self.rank = rank

    def __lt__(self, other):
        return self.rank < other.rank

    def __gt__(self, other):
        return self.rank > other.rank


RANKED = (Ranked(1), Ranked(2))


def first_of_sorted_objects(x):
    return x * sorted(RANKED)[0].rank


def make_sorted_objects():
    return first_of_sorted_objects, [((torch.randn(3),), {})]


def product_of_sizes(x):
    return x * math.prod(map(abs, x.shape))


def make_prod_of_map():
    return product_of_sizes, [((torch.randn(3),), {})]
