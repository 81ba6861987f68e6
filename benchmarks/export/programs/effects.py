"""What a forward does beside computing."""

import datetime
import logging
import os
import random
import time
import warnings

import numpy as np
import torch


class Printed(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        print("forward")
        return x + 1


def make_printed():
    return Printed(), (torch.ones(3, 4),), {}


class PrintedValues(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        print(x.sum())
        return x + 1


def make_printed_values():
    return PrintedValues(), (torch.ones(3, 4),), {}


log = logging.getLogger(__name__)


class Logged(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        log.info("forward %s", x.shape)
        return x + 1


def make_logged():
    return Logged(), (torch.ones(3, 4),), {}


class Clocked(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        begin = time.perf_counter()
        y = x + 1
        self.seconds = time.perf_counter() - begin
        return y


def make_clocked():
    return Clocked(), (torch.ones(3, 4),), {}


class Drawn(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x * random.random()


def make_drawn():
    return Drawn(), (torch.ones(3, 4),), {}


class DrawnNumpy(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x * np.random.rand()


def make_drawn_numpy():
    return DrawnNumpy(), (torch.ones(3, 4),), {}


class DrawnTorch(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + torch.rand(4)


def make_drawn_torch():
    return DrawnTorch(), (torch.ones(3, 4),), {}


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor):
        self.calls += 1
        return x + self.calls


def make_counter():
    return Counter(), (torch.ones(3, 4),), {}


class KeptTensor(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x: torch.Tensor):
        self.last = x + 1
        return self.last * 2


def make_kept_tensor():
    return KeptTensor(), (torch.ones(3, 4),), {}


class KeptConstant(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(3, 4)

    def forward(self, x: torch.Tensor):
        self.last = x + 1
        return x * 2


def make_kept_constant():
    return KeptConstant(), (torch.ones(3, 4),), {}


class KeptBuffer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x: torch.Tensor):
        self.total.add_(x.sum())
        return x + self.total


def make_kept_buffer():
    return KeptBuffer(), (torch.ones(3, 4),), {}


class ReboundBuffer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x: torch.Tensor):
        self.total = self.total + x.sum()
        return x + self.total


def make_rebound_buffer():
    return ReboundBuffer(), (torch.ones(3, 4),), {}


class Appended(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x: torch.Tensor):
        self.seen.append(x.shape[0])
        return x + len(self.seen)


def make_appended():
    return Appended(), (torch.ones(3, 4),), {}


class AppendedTensor(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x: torch.Tensor):
        self.seen.append(x + 1)
        return x + 1


def make_appended_tensor():
    return AppendedTensor(), (torch.ones(3, 4),), {}


COUNT = 0


class GlobalCount(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        global COUNT
        COUNT += 1
        return x + 1


def make_global_count():
    return GlobalCount(), (torch.ones(3, 4),), {}


class Environment(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if os.environ.get("FAST"):
            return x
        return x + 1


def make_environment():
    return Environment(), (torch.ones(3, 4),), {}


class FileTested(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if os.path.exists("/nowhere"):
            return x
        return x + 1


def make_file_tested():
    return FileTested(), (torch.ones(3, 4),), {}


class FileRead(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        with open(__file__) as file:
            text = file.readline()
        return x + len(text)


def make_file_read():
    return FileRead(), (torch.ones(3, 4),), {}


class Warned(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        warnings.warn("old", stacklevel=2)
        return x + 1


def make_warned():
    return Warned(), (torch.ones(3, 4),), {}


class InputWritten(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        x.add_(1)
        return x * 2


def make_input_written():
    return InputWritten(), (torch.ones(3, 4),), {}


class ListWritten(torch.nn.Module):
    def forward(self, xs: list[torch.Tensor]):
        xs.append(xs[0] + 1)
        return xs[-1]


def make_list_written():
    return ListWritten(), ([torch.ones(3, 4)],), {}


class DictWritten(torch.nn.Module):
    def forward(self, xs: dict[str, torch.Tensor]):
        xs["b"] = xs["a"] + 1
        return xs["b"]


def make_dict_written():
    return DictWritten(), ({"a": torch.ones(3, 4)},), {}


class ClassWritten(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        type(self).calls = 1
        return x + 1


def make_class_written():
    return ClassWritten(), (torch.ones(3, 4),), {}


class SetByName(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        setattr(self, "size", x.shape[0])
        return x + self.size


def make_set_by_name():
    return SetByName(), (torch.ones(3, 4),), {}


class Deleted(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        self.extra = 1
        del self.extra
        return x + 1


def make_deleted():
    return Deleted(), (torch.ones(3, 4),), {}


class Seeded(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        torch.manual_seed(0)
        return x + torch.rand(4)


def make_seeded():
    return Seeded(), (torch.ones(3, 4),), {}


class GeneratorOfItsOwn(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        g = torch.Generator()
        return x + torch.rand(4, generator=g)


def make_generator_of_its_own():
    return GeneratorOfItsOwn(), (torch.ones(3, 4),), {}


class MemoryAsked(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        torch.cuda.synchronize() if torch.cuda.is_available() else None
        return x + 1


def make_memory_asked():
    return MemoryAsked(), (torch.ones(3, 4),), {}


class DateAsked(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + datetime.datetime.now().year


def make_date_asked():
    return DateAsked(), (torch.ones(3, 4),), {}


class ParameterWritten(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor):
        with torch.no_grad():
            self.weight.mul_(0.5)
        return x * self.weight


def make_parameter_written():
    return ParameterWritten(), (torch.ones(3, 4),), {}


class LayerMade(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        layer = torch.nn.Linear(4, 4)
        return layer(x)


def make_layer_made():
    return LayerMade(), (torch.ones(3, 4),), {}


class LayerAdded(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if not hasattr(self, "head"):
            self.head = torch.nn.Linear(4, 4)
        return self.head(x)


def make_layer_added():
    return LayerAdded(), (torch.ones(3, 4),), {}
