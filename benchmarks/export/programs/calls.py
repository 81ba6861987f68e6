"""What a forward calls."""

import bisect
import contextlib
import copy
import functools
import inspect
import itertools
import math
import re
import threading
import weakref

import numpy as np
import torch


class ArrayOf(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.from_numpy(x.numpy() + 1)


def make_array_of():
    return ArrayOf(), (torch.ones(3, 4),), {}


class ArrayOperation(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + torch.as_tensor(np.sqrt(x.numpy()))


def make_array_operation():
    return ArrayOperation(), (torch.ones(3, 4),), {}


class ArrayConstant(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + torch.from_numpy(np.ones(4, dtype=np.float32))


def make_array_constant():
    return ArrayConstant(), (torch.ones(3, 4),), {}


class Address(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + (x.data_ptr() % 2)


def make_address():
    return Address(), (torch.ones(3, 4),), {}


class ContiguousAsked(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.is_contiguous():
            return x + 1
        return x


def make_contiguous_asked():
    return ContiguousAsked(), (torch.ones(3, 4),), {}


class CopiedToHost(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x.cpu() + 1


def make_copied_to_host():
    return CopiedToHost(), (torch.ones(3, 4),), {}


class CopiedDeep(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return copy.deepcopy(x) + 1


def make_copied_deep():
    return CopiedDeep(), (torch.ones(3, 4),), {}


class Storage(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + x.untyped_storage().size()


def make_storage():
    return Storage(), (torch.ones(3, 4),), {}


class Resized(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        y = x.clone()
        y.resize_(2, 2)
        return y


def make_resized():
    return Resized(), (torch.ones(3, 4),), {}


class SetStorage(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        y = x.clone()
        y.set_(x)
        return y


def make_set_storage():
    return SetStorage(), (torch.ones(3, 4),), {}


class GradientAsked(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.requires_grad:
            return x * 2
        return x + 1


def make_gradient_asked():
    return GradientAsked(), (torch.ones(3, 4),), {}


class GradientOf(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor):
        w = self.weight * x
        return torch.autograd.grad(w.sum(), self.weight)[0]


def make_gradient_of():
    return GradientOf(), (torch.ones(3, 4),), {}


class Backward(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor):
        (self.weight * x).sum().backward()
        return x + 1


def make_backward():
    return Backward(), (torch.ones(3, 4),), {}


class WithoutGradient(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        with torch.no_grad():
            y = x * 2
        return y + 1


def make_without_gradient():
    return WithoutGradient(), (torch.ones(3, 4),), {}


class OwnFunctionDouble(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class OwnFunction(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return OwnFunctionDouble.apply(x)


def make_own_function():
    return OwnFunction(), (torch.ones(3, 4),), {}


@torch.jit.script
def scripted(x):
    return x + 1


class Scripted(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return scripted(x)


def make_scripted():
    return Scripted(), (torch.ones(3, 4),), {}


@contextlib.contextmanager
def scaled(by):
    yield by


class OwnContext(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        with scaled(2):
            return x + 1


def make_own_context():
    return OwnContext(), (torch.ones(3, 4),), {}


class OwnClassContextTimer:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


class OwnClassContext(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        with OwnClassContextTimer():
            y = x + 1
        return y


def make_own_class_context():
    return OwnClassContext(), (torch.ones(3, 4),), {}


class Caught(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        try:
            y = x @ x
        except RuntimeError:
            y = x + 1
        return y


def make_caught():
    return Caught(), (torch.ones(3, 4),), {}


class RaisedAndCaught(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        try:
            raise ValueError("no")
        except ValueError:
            y = x + 1
        return y


def make_raised_and_caught():
    return RaisedAndCaught(), (torch.ones(3, 4),), {}


class Locked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def forward(self, x: torch.Tensor):
        with self.lock:
            return x + 1


def make_locked():
    return Locked(), (torch.ones(3, 4),), {}


class LockMade(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        with threading.Lock():
            return x + 1


def make_lock_made():
    return LockMade(), (torch.ones(3, 4),), {}


class Generated(torch.nn.Module):
    def parts(self, x):
        yield x
        yield x + 1

    def forward(self, x: torch.Tensor):
        return sum(self.parts(x))


def make_generated():
    return Generated(), (torch.ones(3, 4),), {}


class Chained(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        out = x
        for a, b in itertools.product([1, 2], [3, 4]):
            out = out + a * b
        return out


def make_chained():
    return Chained(), (torch.ones(3, 4),), {}


@functools.lru_cache
def size_of(n):
    return n * 2


class Cached(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + size_of(x.shape[0])


def make_cached():
    return Cached(), (torch.ones(3, 4),), {}


class Weak(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + (weakref.ref(self)() is not None)


def make_weak():
    return Weak(), (torch.ones(3, 4),), {}


class Identity(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + (id(x) > 0)


def make_identity():
    return Identity(), (torch.ones(3, 4),), {}


class Signature(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        names = inspect.signature(self.forward).parameters
        return x + len(names)


def make_signature():
    return Signature(), (torch.ones(3, 4),), {}


class Matched(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if re.match("a", "abc"):
            return x + 1
        return x


def make_matched():
    return Matched(), (torch.ones(3, 4),), {}


class Bisected(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + bisect.bisect_left([1, 2, 3], x.shape[0])


def make_bisected():
    return Bisected(), (torch.ones(3, 4),), {}


class Executed(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        scope = {}
        exec("y = 3", scope)
        return x + scope["y"]


def make_executed():
    return Executed(), (torch.ones(3, 4),), {}


class SquareRoot(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x / math.sqrt(x.shape[-1])


def make_square_root():
    return SquareRoot(), (torch.ones(3, 4),), {}


class CompilingAsked(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if torch.compiler.is_compiling():
            return x + 1
        print("eager")
        return x + 1


def make_compiling_asked():
    return CompilingAsked(), (torch.ones(3, 4),), {}


class TrainingAsked(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x * 2 if self.training else x


def make_training_asked():
    return TrainingAsked(), (torch.ones(3, 4),), {}


class Dropped(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.nn.functional.dropout(x, 0.5, self.training)


def make_dropped():
    return Dropped(), (torch.ones(3, 4),), {}


class Normed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor):
        return self.norm(x)


def make_normed():
    return Normed(), (torch.ones(3, 4),), {}


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(2))

    def forward(self, x: torch.Tensor):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


def make_layers():
    return Layers(), (torch.ones(3, 4),), {}


class Hooked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.layer.register_forward_hook(lambda m, a, out: out + 1)

    def forward(self, x: torch.Tensor):
        return self.layer(x)


def make_hooked():
    return Hooked(), (torch.ones(3, 4),), {}


@torch.compiler.disable
def eager(x):
    return x + 1


class Disabled(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return eager(x)


def make_disabled():
    return Disabled(), (torch.ones(3, 4),), {}


class GraphBroken(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2


def make_graph_broken():
    return GraphBroken(), (torch.ones(3, 4),), {}


class CompiledInside(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.compile(lambda a: a + 1, backend="eager")(x)


def make_compiled_inside():
    return CompiledInside(), (torch.ones(3, 4),), {}


class Sparse(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x.to_sparse().to_dense() + 1


def make_sparse():
    return Sparse(), (torch.ones(3, 4),), {}


class PaddedRows(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.nn.utils.rnn.pad_sequence([x, x + 1])


def make_padded_rows():
    return PaddedRows(), (torch.ones(3, 4),), {}


class PackedRows(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, n, enforce_sorted=False)
        return packed.data


def make_packed_rows():
    return (
        PackedRows(),
        (
            torch.ones(3, 3, 4),
            torch.tensor([3, 1, 2]),
        ),
        {},
    )


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.LSTM(4, 4)

    def forward(self, x: torch.Tensor):
        return self.cell(x)[0]


def make_recurrent():
    return Recurrent(), (torch.ones(2, 3, 4),), {}
