"""Classes and their special methods around tensor code."""

import array
import datetime
import decimal
import fractions

import torch
from torch import nn


class Settings:
    def __init__(self, scale):
        self.scale = scale


# --- deleting attributes


def drop_and_read(settings, x):
    del settings.scale
    try:
        return x * settings.scale
    except AttributeError:
        return x


def make_attribute_deleted_and_read():
    return lambda x: drop_and_read(Settings(2.0), x), [((torch.randn(3),), {})]


def make_attribute_deleted_on_argument():
    return drop_and_read, [((Settings(2.0), torch.randn(3)), {})]


class Scratch(nn.Module):
    def forward(self, x):
        self.hidden = x * 2
        y = self.hidden.sum()
        del self.hidden
        return y

    def again(self, x):
        return self.hidden


def make_module_attribute_set_and_deleted():
    return Scratch(), [((torch.randn(3),), {})]


class ScratchHas(nn.Module):
    def forward(self, x):
        self.hidden = x * 2
        y = self.hidden.sum()
        del self.hidden
        return y * 2 if hasattr(self, "hidden") else y


def make_module_attribute_deleted_and_asked():
    return ScratchHas(), [((torch.randn(3),), {})]


class Counted:
    def __init__(self):
        self.steps = 3

    def __delattr__(self, name):
        super().__delattr__(name)


def super_delete(x):
    counted = Counted()
    del counted.steps
    return x + 1


def make_super_delattr():
    return super_delete, [((torch.randn(3),), {})]


# --- assigning __class__


class Frozen(Settings):
    pass


def freeze(settings, x):
    settings.__class__ = Frozen
    return x * settings.scale


def make_class_assigned():
    return freeze, [((Settings(2.0), torch.randn(3)), {})]


class Switching(nn.Module):
    def __init__(self):
        super().__init__()
        self.settings = Settings(3.0)

    def forward(self, x):
        y = x.relu()
        self.cast(self.settings)
        return y * self.settings.scale

    def cast(self, settings):
        settings.__class__ = Frozen


def make_class_assigned_in_method():
    return Switching(), [((torch.randn(3),), {})]


def replace_settings(settings, x):
    frozen = Frozen(settings.scale)
    return x * frozen.scale


def make_class_built_again():
    return replace_settings, [((Settings(2.0), torch.randn(3)), {})]


# --- attribute names that are no strings known beforehand


def store_named(settings, x, names):
    for name in names:
        setattr(settings, name, 1.0)
    return x * settings.scale


def make_setattr_names_from_list():
    return store_named, [((Settings(2.0), torch.randn(3), ["a", "b"]), {})]


def name_of_number(settings, x):
    setattr(settings, f"bias_{x.sum().item():.0f}", 1.0)
    return x * settings.scale


def make_setattr_name_from_tensor():
    return name_of_number, [((Settings(2.0), torch.zeros(3)), {})]


class Store(nn.Module):
    def __init__(self):
        super().__init__()
        self.settings = Settings(1.0)

    def forward(self, x):
        y = x + 1
        setattr(self.settings, f"row_{y.shape}", 3.0)
        return y


def make_setattr_name_from_shape():
    return Store(), [((torch.zeros(3),), {})]


def read_named(settings, x, index):
    name = f"level_{x.max():.0f}"
    return x * getattr(settings, name, 2.0)


def make_getattr_name_from_tensor():
    return read_named, [((Settings(2.0), torch.zeros(3), 1), {})]


class ReadsNamed(nn.Module):
    def __init__(self):
        super().__init__()
        self.block_0 = nn.Linear(3, 3)
        self.register_buffer("which", torch.tensor(0))

    def forward(self, x):
        return getattr(self, f"block_{self.which}")(x)


def make_getattr_name_from_buffer():
    return ReadsNamed(), [((torch.randn(2, 3),), {})]


class ReadsNumbered(nn.Module):
    def __init__(self):
        super().__init__()
        self.block_0 = nn.Linear(3, 3)
        self.which = 0

    def forward(self, x):
        return getattr(self, f"block_{self.which}")(x)


def make_getattr_name_from_number():
    return ReadsNumbered(), [((torch.randn(2, 3),), {})]


# --- objects of C types and descriptors


class Slotted:
    __slots__ = ("scale",)

    def __init__(self, scale):
        self.scale = scale


def set_slot(slotted, x):
    slotted.scale = 3.0
    return x * slotted.scale


def make_slot_set():
    return set_slot, [((Slotted(2.0), torch.randn(3)), {})]


def del_slot(slotted, x):
    del slotted.scale
    return x * 2


def make_slot_deleted():
    return del_slot, [((Slotted(2.0), torch.randn(3)), {})]


class Stamp(datetime.timedelta):
    pass


def set_context(context, x):
    context.prec = 10
    return x * 2


def make_decimal_context_precision():
    return set_context, [((decimal.Context(prec=5), torch.randn(3)), {})]


class Failing(OSError):
    pass


def set_errno(error, x):
    error.errno = 5
    return x * 2


def make_oserror_errno():
    return set_errno, [((Failing(3, "a"), torch.randn(3)), {})]


class Precise(nn.Module):
    def __init__(self):
        super().__init__()
        self.context = decimal.Context(prec=5)

    def forward(self, x):
        y = x.exp()
        self.context.Emax = 100
        return y


def make_decimal_context_of_module():
    return Precise(), [((torch.randn(3),), {})]


# --- special methods


class Box:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __bool__(self):
        return bool(self.items)


class TensorFlag:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return bool((self.value > 0).all())


class CountFlag:
    def __init__(self, count):
        self.count = count

    def __bool__(self):
        return self.count > 0


def when_flag(x, flag):
    y = x * 2
    if flag:
        y = y + 1
    return y


def make_bool_of_tensor():
    return when_flag, [((torch.randn(3), TensorFlag(torch.ones(2))), {})]


def make_bool_of_count():
    return when_flag, [((torch.randn(3), CountFlag(2)), {})]


def rows(x, box):
    return x * len(box)


def make_len_of_class():
    return rows, [((torch.randn(3), Box([1, 2])), {})]


def make_len_of_array():
    return rows, [((torch.randn(3), array.array("i", [1, 2])), {})]


class Bytes(bytearray):
    pass


class Window(nn.Module):
    def __init__(self, data):
        super().__init__()
        self.data = data

    def forward(self, x):
        y = x.cos()
        return y / len(self.data)


def make_len_of_memoryview():
    return Window(memoryview(b"abc")), [((torch.randn(3),), {})]


def make_len_of_bytes():
    return Window(b"abc"), [((torch.randn(3),), {})]


class Shape:
    def __init__(self, sizes):
        self.sizes = sizes

    def __hash__(self):
        return hash(self.sizes)

    def __eq__(self, other):
        return self.sizes == other.sizes


def seen(x, key, table):
    return x * table[key]


def make_key_with_hash():
    return lambda x: seen(x, Shape((1,)), {Shape((1,)): 2.0}), [((torch.randn(3),), {})]


class TensorKey:
    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return int(self.value.sum())

    def __eq__(self, other):
        return self is other


def cached(x, key):
    table = {key: 2.0}
    return x * table[key]


def make_key_hashed_by_tensor():
    return cached, [((torch.randn(3), TensorKey(torch.ones(2))), {})]


class ShapeKey:
    def __init__(self, x):
        self.rows = x.shape[0]

    def __hash__(self):
        return self.rows * 31

    def __eq__(self, other):
        return self.rows == other.rows


class Caching(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = {"a": 2.0}

    def forward(self, x):
        found = {ShapeKey(x): self.scale["a"]}
        return x * found[ShapeKey(x)]


def make_key_hashed_by_rows():
    return Caching(), [((torch.randn(3),), {}), ((torch.randn(4),), {})]


def price(x, amount, table):
    return x * table[amount]


def make_key_decimal():
    return price, [((torch.randn(3), decimal.Decimal(2), {decimal.Decimal(2): 3.0}), {})]


def make_key_fraction():
    return price, [((torch.randn(3), fractions.Fraction(1, 2), {fractions.Fraction(1, 2): 3.0}), {})]


def make_key_date():
    return price, [((torch.randn(3), datetime.date(2024, 1, 1), {datetime.date(2024, 1, 1): 3.0}), {})]


def compare_dates(x, a, b):
    return x * 2 if a < b else x


def make_dates_compared():
    return compare_dates, [((torch.randn(3), datetime.date(2024, 1, 1), datetime.date(2025, 1, 1)), {})]


class Scheduled(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x, amount):
        y = x.sin()
        if amount == self.limit:
            return y * 2
        return y


def make_decimals_compared():
    return Scheduled(decimal.Decimal("1.5")), [((torch.randn(3), decimal.Decimal("1.5")), {})]


def make_numbers_compared():
    return Scheduled(1.5), [((torch.randn(3), 1.5), {})]


class Text(str):
    pass


class Named:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Named({self.name})"


def show(x, thing):
    return x * len(repr(thing))


def make_repr_of_class():
    return show, [((torch.randn(3), Named("a")), {})]


def make_repr_of_date():
    return show, [((torch.randn(3), datetime.date(2024, 1, 1)), {})]


def make_repr_of_decimal():
    return show, [((torch.randn(3), decimal.Decimal("1.5")), {})]


class Prints(nn.Module):
    def __init__(self, thing):
        super().__init__()
        self.thing = thing

    def forward(self, x):
        y = x.tan()
        return y * len(str(self.thing))


def make_str_of_decimal():
    return Prints(decimal.Decimal("1.5")), [((torch.randn(3),), {})]


def make_str_of_date():
    return Prints(datetime.timedelta(3)), [((torch.randn(3),), {})]


def make_str_of_class():
    return Prints(Named("b")), [((torch.randn(3),), {})]
