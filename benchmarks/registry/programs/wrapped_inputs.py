"""What comes into a compiled function from outside: tensors, modules, handles and settings of every kind."""

import copy

import torch
from torch import nn


def twice(x):
    return x * 2


def double_first(x, rows):
    return x + rows[0]


def sparse_eye():
    return torch.eye(3).to_sparse()


# --- sparse and nested tensors


def make_sparse_given():
    return lambda x, s: s @ x, [((torch.randn(3, 2), sparse_eye()), {})]


class Adjacency(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("links", sparse_eye().to_sparse_csr())

    def forward(self, x):
        y = x.relu()
        return torch.mm(self.links, y)


def make_sparse_buffer():
    return Adjacency(), [((torch.randn(3, 2),), {})]


def make_dense_given():
    return lambda x, s: s @ x, [((torch.randn(3, 2), torch.eye(3)), {})]


def to_sparse_sum(x):
    s = x.to_sparse()
    return s.to_dense() + x


def make_sparse_made():
    return to_sparse_sum, [((torch.eye(3),), {})]


class SparseMade(nn.Module):
    def links(self, x):
        return (x > 0).float().to_sparse_csr()

    def forward(self, x):
        y = x.relu()
        return self.links(y) @ y


def make_sparse_made_in_method():
    return SparseMade(), [((torch.eye(3),), {})]


def sparse_built(x, where):
    s = torch.sparse_coo_tensor(where, x, (3, 3))
    return s.to_dense()


def make_sparse_built():
    return sparse_built, [((torch.ones(2), torch.tensor([[0, 1], [1, 2]])), {})]


class Builds(nn.Module):
    def matrix(self, values):
        return torch.sparse_csr_tensor(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), values)

    def forward(self, x):
        y = x.relu()
        return self.matrix(y).to_dense()


def make_sparse_built_in_method():
    return Builds(), [((torch.ones(2),), {})]


def dense_built(x, where):
    return torch.zeros(3, 3).index_put((where[0], where[1]), x)


def make_dense_built():
    return dense_built, [((torch.ones(2), torch.tensor([[0, 1], [1, 2]])), {})]


def make_nested_given():
    rows = torch.nested.nested_tensor([torch.randn(2), torch.randn(3)])
    return lambda rows: rows * 2, [((rows,), {})]


class NestedHeld(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = torch.nested.nested_tensor([torch.randn(2), torch.randn(3)])

    def forward(self, x):
        y = x.relu()
        return y, self.rows + 1


def make_nested_held():
    return NestedHeld(), [((torch.randn(3),), {})]


def make_jagged_given():
    rows = torch.nested.nested_tensor([torch.randn(2), torch.randn(3)], layout=torch.jagged)
    return lambda rows: rows * 2, [((rows,), {})]


# --- gradients of another type


def leaf_with_grad(kind):
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    x.grad = torch.zeros(3, dtype=torch.float64)
    x.data = x.data.to(kind)
    return x


def make_grad_of_other_type():
    return twice, [((leaf_with_grad(torch.float32),), {})]


class CastLate(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.weight.grad = torch.ones(3)
        self.weight.data = self.weight.data.to(torch.bfloat16)

    def forward(self, x):
        y = x.relu()
        return y * self.weight


def make_parameter_cast_after_grad():
    return CastLate(), [((torch.randn(3),), {})]


def make_grad_of_same_type():
    return twice, [((leaf_with_grad(torch.float64),), {})]


# --- modules


class NoInit(nn.Module):
    def __init__(self):
        pass

    def forward(self, x):
        return x * 2


class Shell(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.__dict__["inner"] = inner

    def forward(self, x):
        y = x.relu()
        return self.inner.forward(y)


def make_module_without_init_given():
    return lambda m, x: m.forward(x) + 1, [((NoInit(), torch.randn(3)), {})]


def make_module_without_init_held():
    return Shell(NoInit()), [((torch.randn(3),), {})]


def make_module_with_init_held():
    return Shell(nn.ReLU()), [((torch.randn(3),), {})]


class Layer(nn.Module):
    def forward(self, x):
        return x * 2


def make_scripted_held():
    return Shell(torch.jit.script(nn.Linear(3, 3))), [((torch.randn(2, 3),), {})]


def make_scripted_given():
    return lambda m, x: m(x) + 1, [((torch.jit.script(nn.ReLU()), torch.randn(3)), {})]


def make_scripted_in_list():
    return nn.Sequential(nn.Linear(3, 3), torch.jit.script(nn.ReLU())), [((torch.randn(2, 3),), {})]


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.rnn = kind(3, 4, batch_first=True)

    def forward(self, x):
        y, _ = self.rnn(x)
        return y.mean(1)


def make_lstm_held():
    return Recurrent(nn.LSTM), [((torch.randn(2, 5, 3),), {})]


def make_gru_given():
    return lambda m, x: m(x)[0] * 2, [((nn.GRU(3, 4), torch.randn(5, 2, 3)), {})]


def make_conv_held():
    class Convolves(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(3, 4, 1)

        def forward(self, x):
            return self.conv(x.transpose(1, 2)).mean(2)

    return Convolves(), [((torch.randn(2, 5, 3),), {})]


class CallsCell(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 4)

    def forward(self, x, h):
        return self.cell(x, h)


def make_gru_cell_held():
    return CallsCell(), [((torch.randn(2, 3), torch.zeros(2, 4)), {})]


def disabled_module():
    layer = torch.compile(Layer(), backend="eager")
    return torch.compiler.disable(layer)


class CallsInner(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = disabled_module()

    def forward(self, x):
        y = x.relu()
        return self.inner(y) + 1


def make_compiled_then_disabled_called():
    return CallsInner(), [((torch.randn(3),), {})]


def make_compiled_held():
    return Shell(torch.compile(Layer(), backend="eager")), [((torch.randn(3),), {})]


class Mutated(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        self.extra = nn.Parameter(torch.ones(3))
        y = self.lin(x)
        return y + sum(p.sum() for p in self.parameters())


def make_parameters_after_assignment():
    return Mutated(), [((torch.randn(2, 3),), {})]


class Renamed(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("seen", torch.zeros(3))

    def total(self):
        return sum(b.sum() for b in self.buffers())

    def forward(self, x):
        y = self.lin(x)
        self.register_buffer("last", y.mean(0))
        return y + self.total()


def make_buffers_after_register():
    return Renamed(), [((torch.randn(2, 3),), {})]


class Replaces(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        y = self.lin(x)
        self.seen = y.mean(0).detach()
        return y + sum(p.sum() for p in self.parameters())


def make_parameters_after_buffer_set():
    return Replaces(), [((torch.randn(2, 3),), {})]


class Unchanged(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        y = self.lin(x)
        return y + sum(p.sum() for p in self.parameters())


def make_parameters_unchanged():
    return Unchanged(), [((torch.randn(2, 3),), {})]


# --- handles


def with_handle(x, handle):
    y = x * 2
    handle.remove()
    return y


def make_handle_given():
    layer = nn.ReLU()
    return with_handle, [((torch.randn(3), layer.register_forward_hook(lambda *a: None)), {})]


class RemovesHook(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.handle = self.lin.register_forward_hook(lambda *a: None)

    def forward(self, x):
        y = self.lin(x)
        if self.handle is not None:
            y = y + 1
        return y


def make_handle_held():
    return RemovesHook(), [((torch.randn(2, 3),), {})]


class KeepsHook(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.handle = self.lin.register_forward_hook(lambda *a: None)

    def forward(self, x):
        return self.lin(x)


def make_handle_held_unused():
    return KeepsHook(), [((torch.randn(2, 3),), {})]


# --- copies


def copied(x, options):
    mine = copy.deepcopy(options)
    return x * mine["a"]


def make_deepcopy_of_dict():
    return copied, [((torch.randn(3), {"a": 2.0}), {})]


def make_deepcopy_of_tensor():
    return lambda x: copy.deepcopy(x) * 2, [((torch.randn(3),), {})]


class Averages(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def shadow(self):
        return copy.deepcopy(self.lin)

    def forward(self, x):
        y = x.relu()
        return self.shadow()(y)


def make_deepcopy_of_module():
    return Averages(), [((torch.randn(2, 3),), {})]


# --- random generators


def generator_state(x, g):
    g.manual_seed(3)
    return x + torch.rand(3, generator=g)


def make_generator_seeded():
    return generator_state, [((torch.randn(3), torch.Generator()), {})]


class Samples(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = torch.Generator()

    def forward(self, x):
        y = x.relu()
        state = self.g.get_state()
        return y + state.sum()


def make_generator_state_read():
    return Samples(), [((torch.randn(3),), {})]


def generator_device(x, g):
    return x.to(g.device) * 2


def make_generator_device_read():
    return generator_device, [((torch.randn(3), torch.Generator()), {})]
