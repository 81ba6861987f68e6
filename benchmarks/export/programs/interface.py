"""What goes in and out."""

import dataclasses
import typing

import torch


class GivesWords(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + 1, "words"


def make_gives_words():
    return GivesWords(), (torch.ones(3, 4),), {}


class GivesNumber(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + 1, 3


def make_gives_number():
    return GivesNumber(), (torch.ones(3, 4),), {}


class GivesNothing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        self.layer(x)


def make_gives_nothing():
    return GivesNothing(), (torch.ones(3, 4),), {}


class GivesMapping(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return {"a": x + 1, "b": [x, x * 2]}


def make_gives_mapping():
    return GivesMapping(), (torch.ones(3, 4),), {}


@dataclasses.dataclass
class GivesRecordPair:
    a: torch.Tensor
    b: torch.Tensor


class GivesRecord(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return GivesRecordPair(x, x + 1)


def make_gives_record():
    return GivesRecord(), (torch.ones(3, 4),), {}


class GivesNamedPair(typing.NamedTuple):
    a: torch.Tensor
    b: torch.Tensor


class GivesNamed(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return GivesNamedPair(x, x + 1)


def make_gives_named():
    return GivesNamed(), (torch.ones(3, 4),), {}


class GivesObjectBox:
    def __init__(self, value):
        self.value = value


class GivesObject(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return GivesObjectBox(x)


def make_gives_object():
    return GivesObject(), (torch.ones(3, 4),), {}


class GivesSize(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x.shape


def make_gives_size():
    return GivesSize(), (torch.ones(3, 4),), {}


class GivesFunction(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return lambda: x


def make_gives_function():
    return GivesFunction(), (torch.ones(3, 4),), {}


class TakesWords(torch.nn.Module):
    def forward(self, x: torch.Tensor, mode: str):
        return x + 1 if mode == "one" else x


def make_takes_words():
    return (
        TakesWords(),
        (
            torch.ones(3, 4),
            "one",
        ),
        {},
    )


@dataclasses.dataclass
class TakesRecordPair:
    a: torch.Tensor
    b: torch.Tensor


class TakesRecord(torch.nn.Module):
    def forward(self, pair: TakesRecordPair):
        return pair.a + pair.b


def make_takes_record():
    return TakesRecord(), (TakesRecordPair(torch.ones(2), torch.ones(2)),), {}


class TakesMany(torch.nn.Module):
    def forward(self, *xs: torch.Tensor):
        return sum(xs)


def make_takes_many():
    return (
        TakesMany(),
        (
            torch.ones(2),
            torch.ones(2),
        ),
        {},
    )


class TakesNamed(torch.nn.Module):
    def forward(self, x: torch.Tensor, **named: torch.Tensor):
        return x + named["y"]


def make_takes_named():
    return TakesNamed(), (torch.ones(2),), {"y": torch.ones(2)}


class TakesOptional(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor | None = None):
        return x if y is None else x + y


def make_takes_optional():
    return (
        TakesOptional(),
        (
            torch.ones(2),
            None,
        ),
        {},
    )


class GivesIterator(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return (x + i for i in range(2))


def make_gives_iterator():
    return GivesIterator(), (torch.ones(3, 4),), {}


class GivesSet(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return {1, 2}, x + 1


def make_gives_set():
    return GivesSet(), (torch.ones(3, 4),), {}
