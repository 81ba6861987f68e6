"""Raising, catching and describing errors around tensor code."""

import sys
import traceback

import torch
from torch import nn


class ShapeError(Exception):
    def __init__(self, got, wanted):
        super().__init__(f"got {got}, wanted {wanted}")
        self.got = got
        self.wanted = wanted


class Retry(Exception):
    pass


# --- errors that leave the compiled function


def checked_width(x):
    if x.shape[-1] != 4:
        raise ValueError("width must be 4")
    return x * 2


class Registry(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = {"a": 1.0}

    def forward(self, x, key):
        y = x.relu()
        return y * self.table[key]


def make_known_key():
    return Registry(), [((torch.randn(3), "a"), {})]


def fallback_width(x):
    try:
        return checked_width(x)
    except ValueError:
        return x.sum()


def make_width_error_handled():
    return fallback_width, [((torch.randn(2, 5),), {})]


def first_of(items):
    return next(iter(items))


def take_first(x, items):
    return x + first_of(items)


def make_next_of_filled():
    return take_first, [((torch.randn(3), [1.0]), {})]


# --- assertions and their messages


def bounded(x, limit):
    if limit < 0:
        raise AssertionError(("limit", limit))
    return x.clamp(max=limit)


def try_bounded(x, limit):
    try:
        return bounded(x, limit)
    except AssertionError:
        return x


def make_assertion_with_tuple():
    return try_bounded, [((torch.randn(3), -1), {})]


class Checked(nn.Module):
    def forward(self, x, sizes):
        y = x.tanh()
        try:
            assert len(sizes) == x.dim(), len(sizes)
        except AssertionError:
            return y
        return y.view(sizes)


def make_assert_with_count():
    return Checked(), [((torch.randn(4), [2, 2]), {})]


class CheckedText(nn.Module):
    def forward(self, x, sizes):
        y = x.tanh()
        try:
            assert len(sizes) == x.dim(), "sizes and dimensions differ"
        except AssertionError:
            return y
        return y.view(sizes)


def make_assert_with_text():
    return CheckedText(), [((torch.randn(4), [2, 2]), {})]


# --- what stands after except


def pick_handler(name):
    return {"value": ValueError, "type": TypeError}[name]


KINDS = [ValueError, KeyError]


def handled_by_list(x, names):
    try:
        if names is None:
            raise ValueError("no names")
        return x + len(names)
    except tuple(KINDS):
        return x


def make_except_tuple_of_list():
    return handled_by_list, [((torch.randn(3), None), {})]


def handled_by_looked_up(x, names):
    try:
        if names is None:
            raise ValueError("no names")
        return x + len(names)
    except pick_handler("value"):
        return x


def make_except_looked_up():
    return handled_by_looked_up, [((torch.randn(3), None), {})]


def not_a_class(x, names):
    try:
        if names is None:
            raise ValueError("no names")
        return x + len(names)
    except "value":
        return x


def caught_outside(x, names):
    y = x * 2
    try:
        return not_a_class(y, names)
    except TypeError:
        return y


def make_except_text():
    return caught_outside, [((torch.randn(3), None), {})]


def none_in_tuple(x, names):
    try:
        if names is None:
            raise ValueError("no names")
        return x + len(names)
    except (None, ValueError):
        return x


def caught_none_in_tuple(x, names):
    y = x * 2
    try:
        return none_in_tuple(y, names)
    except TypeError:
        return y


def make_except_tuple_with_none():
    return caught_none_in_tuple, [((torch.randn(3), None), {})]


class Handlers(nn.Module):
    def __init__(self, kinds):
        super().__init__()
        self.kinds = kinds

    def forward(self, x, names):
        y = x.sin()
        try:
            try:
                if names is None:
                    raise KeyError("no names")
                return y + len(names)
            except self.kinds:
                return y
        except TypeError:
            return y.cos()


def make_except_attribute_number():
    return Handlers(5), [((torch.randn(3), None), {})]


def make_except_attribute_tuple_of_numbers():
    return Handlers((5, KeyError)), [((torch.randn(3), None), {})]


def make_except_attribute_class():
    return Handlers(KeyError), [((torch.randn(3), None), {})]


def make_except_attribute_classes():
    return Handlers((KeyError, ValueError)), [((torch.randn(3), None), {})]


# --- what stands after raise


def raises_text(x):
    raise "no such thing"


def catch_text(x):
    y = x.exp()
    try:
        return raises_text(y)
    except TypeError:
        return y


def make_raise_text():
    return catch_text, [((torch.randn(3),), {})]


def raise_held(x, error):
    y = x.exp()
    try:
        raise error
    except Retry:
        return y


def make_raise_argument():
    return raise_held, [((torch.randn(3), Retry("again")), {})]


def make_raise_argument_class():
    return raise_held, [((torch.randn(3), Retry), {})]


# --- building and changing exception objects


def with_keyword(x):
    try:
        raise ImportError("no such plugin", name="plugin")
    except ImportError:
        return x + 1


def make_import_error_with_name():
    return with_keyword, [((torch.randn(3),), {})]


class NamedFailure(nn.Module):
    def forward(self, x):
        try:
            self.lookup("scale")
        except AttributeError:
            return x * 3
        return x

    def lookup(self, key):
        raise AttributeError("nothing here", name=key, obj=None)


def make_attribute_error_with_name():
    return NamedFailure(), [((torch.randn(3),), {})]


def without_keyword(x):
    try:
        raise ImportError("no such plugin")
    except ImportError:
        return x + 1


def make_import_error_plain():
    return without_keyword, [((torch.randn(3),), {})]


def annotate(x):
    try:
        raise ValueError("bad scale")
    except ValueError as error:
        error.scale = 2.0
        return x * 2


def make_exception_attribute_set():
    return annotate, [((torch.randn(3),), {})]


def annotate_helper(error, x):
    error.shape = tuple(x.shape)
    return error


class Describe(nn.Module):
    def forward(self, x):
        y = x.abs()
        error = annotate_helper(RuntimeError("late"), x)
        return y * len(error.args)


def make_exception_attribute_set_in_helper():
    return Describe(), [((torch.randn(3),), {})]


def chain(x):
    try:
        raise ValueError("bad scale")
    except ValueError as error:
        error.__cause__ = None
        return x * 2


def make_exception_cause_cleared():
    return chain, [((torch.randn(3),), {})]


def custom_with_init(x):
    try:
        raise ShapeError(tuple(x.shape), (3,))
    except ShapeError as error:
        return x * len(error.wanted)


def make_custom_exception_fields():
    return custom_with_init, [((torch.randn(3),), {})]


# --- tracebacks


def last_instruction(x):
    try:
        raise Retry
    except Retry as error:
        where = error.__traceback__.tb_lasti
        return x + (where > 0)


def make_traceback_instruction():
    return last_instruction, [((torch.randn(3),), {})]


class Offsets(nn.Module):
    def forward(self, x):
        y = x.neg()
        try:
            self.step()
        except Retry as error:
            return y * self.place(error.__traceback__)
        return y

    def step(self):
        raise Retry("once")

    def place(self, tb):
        return 1 if tb.tb_lasti >= 0 else 2


def make_traceback_instruction_in_helper():
    return Offsets(), [((torch.randn(3),), {})]


def has_traceback(x):
    try:
        raise Retry
    except Retry as error:
        return x + (1 if error.__traceback__ is not None else 0)


def make_traceback_present():
    return has_traceback, [((torch.randn(3),), {})]


def formatted(x):
    try:
        raise Retry
    except Retry:
        text = traceback.format_exc()
        return x + len(text)


def make_format_exc():
    return formatted, [((torch.randn(3),), {})]


def exc_info_kind(x):
    try:
        raise Retry
    except Retry:
        kind = sys.exc_info()[0]
        return x + (kind is Retry)


def make_exc_info_kind():
    return exc_info_kind, [((torch.randn(3),), {})]
