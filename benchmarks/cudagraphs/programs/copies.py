"""Copies between devices, and what only looks like one."""

import torch
from torch import nn


def returned_to_host(x):
    return (x * 2).cpu()


def make_returned_to_host():
    return returned_to_host, [((torch.randn(3, 4),), {})]


def returned(x):
    return x * 2


def make_returned():
    return returned, [((torch.randn(3, 4),), {})]


def summed_on_host(x):
    return x.to("cpu").sum()


def make_summed_on_host():
    return summed_on_host, [((torch.randn(3, 4),), {})]


def there_and_back(x):
    y = (x + 1).cpu()
    y = torch.sort(y, dim=-1).values
    return y.to(x.device) * 2


def make_there_and_back():
    return there_and_back, [((torch.randn(3, 4),), {})]


def same_device(x, y):
    return x + y.to(x.device)


def make_same_device():
    return same_device, [((torch.randn(3, 4), torch.randn(3, 4)), {})]


def other_dtype(x):
    return x.to(torch.float16).to(x.dtype)


def make_other_dtype():
    return other_dtype, [((torch.randn(3, 4),), {})]


def dtype_and_device(x, y):
    return x + y.to(x.device, x.dtype)


def make_dtype_and_device():
    return dtype_and_device, [((torch.randn(3, 4), torch.randn(3, 4).half()), {})]


def host_named_device(x):
    return x.to(torch.device("cpu")) * 2


def make_host_named_device():
    return host_named_device, [((torch.randn(3, 4),), {})]


def unfinished_copy(x):
    return x.to("cpu", non_blocking=True)


def make_unfinished_copy():
    return unfinished_copy, [((torch.randn(3, 4),), {})]


def two_results(x):
    y = x.softmax(-1)
    return y, y.argmax(-1).cpu()


def make_two_results():
    return two_results, [((torch.randn(3, 4),), {})]


def detached(x):
    y = x.softmax(-1)
    return y, y.detach()


def make_detached():
    return detached, [((torch.randn(3, 4),), {})]


def copied_into_host(x):
    out = torch.empty(3, 4)
    out.copy_(x * 2)
    return out


def make_copied_into_host():
    return copied_into_host, [((torch.randn(3, 4),), {})]


def copied_into_device(x):
    out = torch.empty(3, 4, device=x.device)
    out.copy_(x * 2)
    return out


def make_copied_into_device():
    return copied_into_device, [((torch.randn(3, 4),), {})]


class KeptOnHost(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.last = None

    def forward(self, x):
        y = self.linear(x)
        self.last = y.detach().cpu()
        return y


def make_kept_on_host():
    return KeptOnHost(), [((torch.randn(3, 4),), {})]


class MovedParameter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x * self.weight.to(x.device)


def make_moved_parameter():
    return MovedParameter(), [((torch.randn(3, 4),), {})]


class InHost(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        weight = self.linear.weight.cpu()
        return self.linear(x), weight.norm()


def make_in_host():
    return InHost(), [((torch.randn(3, 4),), {})]


def sorted_there(x):
    return torch.sort(x, dim=-1).values * 2


def make_sorted_there():
    return sorted_there, [((torch.randn(3, 4),), {})]


def index_from_host(x, ids):
    host = ids.cpu()
    return x[host]


def make_index_from_host():
    return index_from_host, [((torch.randn(3, 4), torch.tensor([0, 2])), {})]


def float_of_host(x):
    peak = x.abs().amax().to("cpu")
    return x / peak


def make_float_of_host():
    return float_of_host, [((torch.randn(3, 4),), {})]


def peak_there(x):
    peak = x.abs().amax()
    return x / peak


def make_peak_there():
    return peak_there, [((torch.randn(3, 4),), {})]


def if_not_there(x, y):
    if y.device != x.device:
        y = y.to(x.device)
    return x + y


def make_if_not_there():
    return if_not_there, [((torch.randn(3, 4), torch.randn(3, 4)), {})]


def host_only_if_asked(x, to_host=False):
    y = x * 2
    if to_host:
        y = y.cpu()
    return y


def make_host_only_if_asked():
    return host_only_if_asked, [((torch.randn(3, 4),), {})]


def host_asked(x, to_host=True):
    y = x * 2
    if to_host:
        y = y.cpu()
    return y


def make_host_asked():
    return host_asked, [((torch.randn(3, 4),), {})]
