"""Calls of the standard library and of numpy."""

import logging
import re
import typing
import warnings

import torch
from torch import nn

# --- typing


def typed(x):
    values: list[int] = typing.cast(list[int], [1, 2])
    return x * len(values)


def make_cast():
    return typed, [((torch.randn(3),), {})]


def cast_wrong(x):
    try:
        return typing.cast(x)
    except TypeError:
        return x * 2


def make_cast_one_argument():
    return cast_wrong, [((torch.randn(3),), {})]


class CastsMany(nn.Module):
    def forward(self, x, *args):
        y = x.exp()
        try:
            return typing.cast(torch.Tensor, y, *args)
        except TypeError:
            return y


def make_cast_three_arguments():
    return CastsMany(), [((torch.randn(3), 1), {})]


def make_cast_two_arguments():
    return CastsMany(), [((torch.randn(3),), {})]


def subscript(x, kind):
    alias = typing.List[kind]
    return x if alias is None else x * 2


def make_typing_subscript_class():
    return subscript, [((torch.randn(3), int), {})]


class Marker:
    pass


def literal_of(x, marker):
    alias = typing.Annotated[int, marker]
    return x if alias is None else x * 2


def make_typing_annotated_object():
    return literal_of, [((torch.randn(3), Marker()), {})]


def literal_rows(x):
    alias = typing.Literal[x.shape[0]]
    return x if alias is None else x * 2


def make_typing_literal_rows():
    return literal_rows, [((torch.randn(3),), {}), ((torch.randn(4),), {}), ((torch.randn(5),), {})]


class Annotates(nn.Module):
    def forward(self, x):
        y = x.relu()
        note = typing.Annotated[torch.Tensor, y]
        return y * 2 if note else y


def make_typing_annotated_tensor():
    return Annotates(), [((torch.randn(3),), {})]


def alias_copied(x):
    alias = typing.Optional[int]
    return x if alias.copy_with((str,)) is None else x * 2


def make_typing_copy_with():
    return alias_copied, [((torch.randn(3),), {})]


class Origins(nn.Module):
    def forward(self, x):
        y = x.relu()
        if typing.List[int].__eq__(typing.List[str]):
            return y
        return y * 2


def make_typing_eq_called():
    return Origins(), [((torch.randn(3),), {})]


ALIAS = typing.Union[int, str]


def alias_methods(x):
    return x + len(ALIAS.__reduce__())


def make_typing_reduce():
    return alias_methods, [((torch.randn(3),), {})]


LOG = logging.getLogger("model")

# --- loggers, warnings, printing


def log_info(x):
    y = x + 1
    LOG.info("mean")
    return y * 2


def make_logger_info():
    return log_info, [((torch.randn(3),), {})]


class Logs(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = logging.getLogger("layer")

    def note(self, text):
        self.log.warning(text)

    def forward(self, x):
        y = x.relu()
        self.note("step")
        return y * 2


def make_logger_warning_in_method():
    return Logs(), [((torch.randn(3),), {})]


def log_when_asked(x, verbose=False):
    y = x + 1
    if verbose:
        LOG.info("mean")
    return y * 2


def make_logger_behind_flag():
    return log_when_asked, [((torch.randn(3),), {})]


def warns(x):
    warnings.warn("odd shape")
    return x * 2


def make_warning():
    return warns, [((torch.randn(3),), {})]


# --- regular expressions

PATTERN = re.compile(r"(\w)(\d)")


def digits(x, name):
    return x * int(PATTERN.match(name).group(2))


def make_pattern_group():
    return digits, [((torch.randn(3), "a2"), {})]


def find_digits(x, name):
    total = 0
    for found in PATTERN.finditer(name):
        total += int(found.group(2))
    return x * total


def make_pattern_finditer():
    return find_digits, [((torch.randn(3), "a2b3"), {})]


class Parses(nn.Module):
    pattern = re.compile(r"\d+")

    def forward(self, x, name):
        y = x.relu()
        parts = self.pattern.findall(name)
        return y * len(parts)


def make_pattern_findall():
    return Parses(), [((torch.randn(3), "a2b3"), {})]


def substitute(x, name):
    text = PATTERN.sub(lambda found: found.group(2), name)
    return x * len(text)


def make_pattern_sub_function():
    return substitute, [((torch.randn(3), "a2b3"), {})]


class Renames(nn.Module):
    def clean(self, name):
        def swap(found):
            return found.group(2) + found.group(1)

        return PATTERN.sub(swap, name)

    def forward(self, x, name):
        y = x.neg()
        return y * len(self.clean(name))


def make_pattern_sub_method():
    return Renames(), [((torch.randn(3), "a2b3"), {})]


def substitute_text(x, name):
    text = PATTERN.sub("-", name)
    return x * len(text)


def make_pattern_sub_text():
    return substitute_text, [((torch.randn(3), "a2b3"), {})]
