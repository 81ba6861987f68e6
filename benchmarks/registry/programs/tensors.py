"""Methods and attributes of tensors: printing, copying, gradients, storage."""

import copy

import torch
from torch import nn


def x3():
    return torch.randn(3)


def show_tensor(x):
    y = x * 2
    text = repr(y)
    return y + len(text)


def make_show_tensor():
    return show_tensor, [((x3(),), {})]


class Described(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(3, 3)
        self.seen = []

    def describe(self, value):
        return "hidden: " + repr(value)

    def forward(self, x):
        h = self.proj(x)
        self.seen.append(self.describe(h))
        return h.relu()


def make_described_layer():
    return Described(), [((x3(),), {})]


def shape_as_text(x):
    text = repr(tuple(x.shape))
    return x * 2 + len(text)


def make_shape_as_text():
    return shape_as_text, [((x3(),), {})]


def keep_grad(x):
    y = x * 2
    y.retain_grad()
    return y.sum()


def make_keep_grad():
    return keep_grad, [((x3().requires_grad_(),), {})]


class KeepsFeatureGradients(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        features = self.body(x)
        if features.requires_grad:
            features.retain_grad()
        self.features = features
        return features.sum()


def make_features_keep_gradients():
    return KeepsFeatureGradients(), [((x3(),), {})]


class GradientFlag(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        features = self.body(x)
        if features.requires_grad:
            features = features * 2
        return features.sum()


def make_gradient_flag():
    return GradientFlag(), [((x3(),), {})]


def has_history(x):
    y = x * 2
    if y.grad_fn is not None:
        return y.sum()
    return y


def make_has_history():
    return has_history, [((x3().requires_grad_(),), {})]


class NamesHistory(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(2))

    def forward(self, x):
        names = []
        for layer in self.layers:
            x = layer(x)
            names.append(type(x.grad_fn).__name__)
        return x, len(names)


def make_history_of_layers():
    return NamesHistory(), [((x3(),), {})]


def no_history(x):
    if x.grad_fn is None:
        return x * 2
    return x


def make_no_history():
    return no_history, [((x3(),), {})]


def copied(x):
    y = x.relu()
    z = copy.deepcopy(y)
    return y + z


def make_deep_copy_of_activation():
    return copied, [((x3(),), {})]


class Snapshots(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        before = copy.deepcopy(self.mean)
        return x - before


def make_deep_copy_of_buffer():
    return Snapshots(), [((x3(),), {})]


def cloned(x):
    y = x.relu()
    return y + y.clone()


def make_clone_of_activation():
    return cloned, [((x3(),), {})]


def random_labels(x):
    labels = torch.empty(3, dtype=torch.long)
    labels.random_(0, 5)
    return x * labels


def make_random_labels():
    return random_labels, [((x3(),), {})]


class NoisyBits(nn.Module):
    def noise_like(self, x):
        return torch.zeros_like(x, dtype=torch.int32).random_(2)

    def forward(self, x):
        return x * self.noise_like(x)


def make_noisy_bits():
    return NoisyBits(), [((x3(),), {})]


def randint_labels(x):
    return x * torch.randint(0, 5, (3,))


def make_randint_labels():
    return randint_labels, [((x3(),), {})]


def uniform_by_name(x):
    noise = torch.empty_like(x).uniform_(**{"from": -1.0, "to": 1.0})
    return x + noise


def make_uniform_by_name():
    return uniform_by_name, [((x3(),), {})]


class Dither(nn.Module):
    def __init__(self, low, high):
        super().__init__()
        self.bounds = {"from": low, "to": high}

    def forward(self, x):
        noise = torch.zeros_like(x)
        noise.uniform_(**self.bounds)
        return x + noise


def make_dither():
    return Dither(-0.5, 0.5), [((x3(),), {})]


def uniform_by_position(x):
    return x + torch.empty_like(x).uniform_(-1.0, 1.0)


def make_uniform_by_position():
    return uniform_by_position, [((x3(),), {})]


def scaled_in_place(x, t1, t2):
    y = x.clone()
    y.addcdiv_(0.5, t1, t2)
    return y


def make_scaled_in_place():
    return scaled_in_place, [((x3(), x3(), torch.ones(3)), {})]


class OldStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(3))

    def forward(self, grad):
        out = self.state.clone()
        out.add_(-0.1, grad)
        return out


def make_old_step():
    return OldStep(), [((x3(),), {})]


def scaled_by_value(x, t1, t2):
    y = x.clone()
    y.addcdiv_(t1, t2, value=0.5)
    return y


def make_scaled_by_value():
    return scaled_by_value, [((x3(), x3(), torch.ones(3)), {})]


def applied(x):
    y = x.clone()
    y.apply_(lambda v: v + 1)
    return y * 2


def make_applied():
    return applied, [((x3(),), {})]


class Mapped(nn.Module):
    def merge(self, a, b):
        return max(a, b)

    def forward(self, x, y):
        out = x.clone()
        out.map_(y, self.merge)
        return out


def make_mapped():
    return Mapped(), [((x3(), x3()), {})]


def mapped_by_operator(x, y):
    return torch.maximum(x.clone(), y)


def make_mapped_by_operator():
    return mapped_by_operator, [((x3(), x3()), {})]


def inference_flag(x):
    if x.is_inference():
        return x
    return x * 2


def make_inference_flag():
    return inference_flag, [((x3(),), {})]


class ChecksInference(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def fresh(self, x):
        return x.clone() if x.is_inference() else x

    def forward(self, x):
        return self.body(self.fresh(x))


def make_checks_inference():
    return ChecksInference(), [((x3(),), {})]


def float_flag(x):
    return x * 2 if x.is_floating_point() else x


def make_float_flag():
    return float_flag, [((x3(),), {})]


def plain_again(x):
    return (x * 2).as_subclass(torch.Tensor)


def make_plain_again():
    return plain_again, [((x3(),), {})]


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = nn.Parameter

    def forward(self, x):
        y = x.relu()
        z = y.as_subclass(self.kind)
        return z + 1


def make_as_parameter_class():
    return Weighted(), [((x3(),), {})]


def rows_of(x):
    values = x.tolist()
    return sum(values)


def make_list_of_floats():
    return rows_of, [((x3(),), {})]


class Thresholds(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", torch.tensor([0.1, 0.5]))

    def forward(self, x):
        out = x
        for edge in self.edges.tolist():
            out = out + (x > edge).float()
        return out


def make_list_of_thresholds():
    return Thresholds(), [((x3(),), {})]


class ShapeList(nn.Module):
    def forward(self, x):
        return x.new_zeros(list(x.shape)) + x


def make_list_of_sizes():
    return ShapeList(), [((x3(),), {})]


def loss_backward(x):
    loss = (x * x).sum()
    loss.backward()
    return loss.detach()


def make_loss_backward():
    return loss_backward, [((x3().requires_grad_(),), {})]


class TrainStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Linear(3, 1)

    def update(self, loss):
        loss.backward(retain_graph=True)

    def forward(self, x):
        loss = self.model(x).pow(2).mean()
        self.update(loss)
        return loss.detach()


def make_train_step():
    return TrainStep(), [((x3(),), {})]


class LossOnly(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Linear(3, 1)

    def forward(self, x):
        return self.model(x).pow(2).mean().detach()


def make_loss_only():
    return LossOnly(), [((x3(),), {})]


def read_scalar(x):
    return x * x.max().item()


def make_read_scalar():
    return read_scalar, [((x3(),), {})]


class Temperature(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_t = nn.Parameter(torch.zeros(()))

    def value(self):
        return self.log_t.exp().item()

    def forward(self, x):
        return x / self.value()


def make_temperature():
    return Temperature(), [((x3(),), {})]


class TensorTemperature(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_t = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x / self.log_t.exp()


def make_tensor_temperature():
    return TensorTemperature(), [((x3(),), {})]
