"""Control flow as operators: `torch.cond` and `while_loop`."""

import torch
from torch import nn
from torch._higher_order_ops.while_loop import while_loop


def x3():
    return torch.randn(3)


def up(x):
    return x + 1


def down(x):
    return x - 1


class Both(nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first = first
        self.second = second

    def forward(self, x):
        return torch.cond(x.sum() > 0, self.first, self.second, (x,))


def chosen(x):
    return torch.cond(x.sum() > 0, up, down, (x,))


def make_chosen():
    return chosen, [((x3(),), {})]


def chosen_without_operand(x):
    return torch.cond(x.sum() > 0, "up", down, (x,))


def make_chosen_by_name():
    return chosen_without_operand, [((x3(),), {})]


def make_both_with_missing_branch():
    return Both(up, 3), [((x3(),), {})]


def make_both_present():
    return Both(up, down), [((x3(),), {})]


def chosen_by_list(x):
    return torch.cond([x.sum() > 0], up, down, (x,))


def make_chosen_by_list():
    return chosen_by_list, [((x3(),), {})]


class Gate:
    def __init__(self, open_):
        self.open = open_


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate(True)

    def forward(self, x):
        return torch.cond(self.gate, up, down, (x,))


def make_gated_by_object():
    return Gated(), [((x3(),), {})]


def operand_alone(x):
    return torch.cond(x.sum() > 0, up, down, x)


def make_operand_alone():
    return operand_alone, [((x3(),), {})]


class NamedOperands(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, up, down, {"x": x})


def make_named_operands():
    return NamedOperands(), [((x3(),), {})]


def with_gate(x, gate):
    return torch.cond(x.sum() > 0, lambda v, g: v + 1, lambda v, g: v - 1, (x, gate))


def make_operand_object():
    return with_gate, [((x3(), Gate(True)), {})]


class WithName(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = Gate(False)

    def pick(self, x, kind):
        return torch.cond(x.mean() > 0, lambda v, k: v.sin(), lambda v, k: v.cos(), [x, [kind]])

    def forward(self, x):
        return self.pick(x, self.kind)


def make_operand_layer_object():
    return WithName(), [((x3(),), {})]


def with_second(x, y):
    return torch.cond(x.sum() > 0, lambda a, b: a + b, lambda a, b: a - b, (x, y))


def make_operand_tensors():
    return with_second, [((x3(), x3()), {})]


def labelled(x):
    return torch.cond(x.sum() > 0, lambda v: (v, "up"), lambda v: (v, "down"), (x,))


def make_branch_with_label():
    return labelled, [((x3(),), {})]


class Scored(nn.Module):
    def high(self, x):
        return x * 2, 0.5

    def low(self, x):
        return x, 0.1

    def forward(self, x):
        return torch.cond(x.sum() > 0, self.high, self.low, (x,))


def make_branch_with_score():
    return Scored(), [((x3(),), {})]


def numbered(x):
    return torch.cond(x.sum() > 0, lambda v: (v + 1, 1), lambda v: (v - 1, 1), (x,))


def make_branch_with_number():
    return numbered, [((x3(),), {})]


def boxed(x):
    return torch.cond(x.sum() > 0, lambda v: Gate(v), lambda v: Gate(-v), (x,))


def make_branch_with_object():
    return boxed, [((x3(),), {})]


def uneven(x):
    return torch.cond(x.sum() > 0, lambda v: {"up": v + 1}, lambda v: {"down": v - 1}, (x,))


def make_uneven_branches():
    return uneven, [((x3(),), {})]


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 3)

    def full(self, x):
        return {"logits": self.head(x), "hidden": x.clone()}

    def short(self, x):
        return {"logits": x.clone()}

    def forward(self, x):
        return torch.cond(x.sum() > 0, self.full, self.short, (x,))["logits"]


def make_uneven_heads():
    return Heads(), [((x3(),), {})]


def even(x):
    return torch.cond(x.sum() > 0, lambda v: (v + 1, v + 2), lambda v: (v - 1, v - 2), (x,))


def make_even_branches():
    return even, [((x3(),), {})]


def writes_operand(x):
    return torch.cond(x.sum() > 0, lambda v: v.add_(1) + 0, lambda v: v - 1, (x,))


def make_branch_writes_operand():
    return writes_operand, [((x3(),), {})]


class Tracks(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def seen(self, x):
        self.count.add_(1)
        return x + self.count

    def forward(self, x):
        return torch.cond(x.sum() > 0, self.seen, lambda v: v - 1, (x,))


def make_branch_writes_buffer():
    return Tracks(), [((x3(),), {})]


def returns_operand(x):
    return torch.cond(x.sum() > 0, lambda v: v, lambda v: v + 1, (x,))


def make_branch_returns_operand():
    return returns_operand, [((x3(),), {})]


class Views(nn.Module):
    def flat(self, x):
        return x.view(-1)

    def doubled(self, x):
        return x.reshape(-1) * 2

    def forward(self, x):
        return torch.cond(x.sum() > 0, self.flat, self.doubled, (x,))


def make_branch_returns_view():
    return Views(), [((torch.randn(2, 3),), {})]


def halved(x):
    return while_loop(lambda v: v.sum() > 1, lambda v: (v / 2,), (x,))


def make_halved():
    return halved, [((torch.ones(3) * 4,), {})]


def unbounded(x):
    return while_loop(lambda v: True, lambda v: (v / 2,), (x,))


def make_unbounded():
    return unbounded, [((torch.ones(3),), {})]


class Settles(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def go_on(self, x):
        return self.steps > 0

    def step(self, x):
        return (x * 0.5,)

    def forward(self, x):
        return while_loop(self.go_on, self.step, (x,))


def make_settles_never():
    return Settles(3), [((torch.ones(3),), {})]


def make_settles_at_once():
    return Settles(0), [((torch.ones(3),), {})]


def vector_condition(x):
    return while_loop(lambda v: v > 1, lambda v: (v / 2,), (x,))


def make_vector_condition():
    return vector_condition, [((torch.ones(3) * 4,), {})]


class CountsDown(nn.Module):
    def left(self, n, x):
        return n * 2

    def step(self, n, x):
        return n - 1, x * 2

    def forward(self, n, x):
        return while_loop(self.left, self.step, (n, x))[1]


def make_number_condition():
    return CountsDown(), [((torch.tensor(3), x3()), {})]
