"""Tensors made on the host, inside and outside of the forward."""

import math

import numpy as np
import torch
from torch import nn


def arange_moved(x):
    return x + torch.arange(x.shape[-1]).to(x.device)


def make_arange_moved():
    return arange_moved, [((torch.randn(3, 4),), {})]


def arange_there(x):
    return x + torch.arange(x.shape[-1], device=x.device)


def make_arange_there():
    return arange_there, [((torch.randn(3, 4),), {})]


def literal_moved(x):
    return x * torch.tensor([1.0, 2.0, 3.0, 4.0]).to(x.device)


def make_literal_moved():
    return literal_moved, [((torch.randn(3, 4),), {})]


def literal_there(x):
    return x * torch.tensor([1.0, 2.0, 3.0, 4.0], device=x.device)


def make_literal_there():
    return literal_there, [((torch.randn(3, 4),), {})]


def number_tensor(x):
    return x * torch.tensor(0.5)


def make_number_tensor():
    return number_tensor, [((torch.randn(3, 4),), {})]


def number_tensor_there(x):
    return x * torch.tensor(0.5, device=x.device)


def make_number_tensor_there():
    return number_tensor_there, [((torch.randn(3, 4),), {})]


def root_of_number_tensor(x):
    return x / torch.sqrt(torch.tensor(x.shape[-1], dtype=torch.float32))


def make_root_of_number_tensor():
    return root_of_number_tensor, [((torch.randn(3, 4),), {})]


def zeros_moved(x):
    return torch.cat([x, torch.zeros(x.shape[0], 1).to(x.device)], dim=-1)


def make_zeros_moved():
    return zeros_moved, [((torch.randn(3, 4),), {})]


def zeros_like_appended(x):
    return torch.cat([x, torch.zeros_like(x)], dim=-1)


def make_zeros_like_appended():
    return zeros_like_appended, [((torch.randn(3, 4),), {})]


def causal_mask_moved(x):
    n = x.shape[-1]
    mask = torch.tril(torch.ones(n, n)).to(x.device)
    return x.masked_fill(mask == 0, float("-inf")).softmax(-1)


def make_causal_mask_moved():
    return causal_mask_moved, [((torch.randn(4, 4),), {})]


def causal_mask_there(x):
    n = x.shape[-1]
    mask = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
    return x.masked_fill(~mask, float("-inf")).softmax(-1)


def make_causal_mask_there():
    return causal_mask_there, [((torch.randn(4, 4),), {})]


def table_of_angles_moved(x):
    half = x.shape[-1] // 2
    freqs = torch.exp(-math.log(10000.0) * torch.arange(half, dtype=torch.float32) / half)
    args = freqs.to(x.device)
    return torch.cat([x[..., :half] * args.cos(), x[..., half:] * args.sin()], dim=-1)


def make_table_of_angles_moved():
    return table_of_angles_moved, [((torch.randn(3, 8),), {})]


def table_of_angles_there(x):
    half = x.shape[-1] // 2
    freqs = torch.exp(-math.log(10000.0) * torch.arange(half, dtype=torch.float32, device=x.device) / half)
    return torch.cat([x[..., :half] * freqs.cos(), x[..., half:] * freqs.sin()], dim=-1)


def make_table_of_angles_there():
    return table_of_angles_there, [((torch.randn(3, 8),), {})]


def linspace_to_type(x):
    return x * torch.linspace(0, 1, x.shape[-1]).type_as(x)


def make_linspace_to_type():
    return linspace_to_type, [((torch.randn(3, 4),), {})]


def new_tensors(x):
    return x + x.new_ones(4) * x.new_tensor([1.0, 2.0, 3.0, 4.0])


def make_new_tensors():
    return new_tensors, [((torch.randn(3, 4),), {})]


def sizes_as_tensor(x):
    scale = torch.tensor([x.shape[1], x.shape[0]]).to(x.device)
    return x[..., :2] * scale


def make_sizes_as_tensor():
    return sizes_as_tensor, [((torch.randn(3, 4),), {})]


def numpy_table_moved(x):
    table = torch.from_numpy(np.linspace(0.0, 1.0, 4)).float().to(x.device)
    return x + table


def make_numpy_table_moved():
    return numpy_table_moved, [((torch.randn(3, 4),), {})]


class PlainAttribute(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4)

    def forward(self, x):
        return x * self.scale.to(x.device)


def make_plain_attribute():
    return PlainAttribute(), [((torch.randn(3, 4),), {})]


class Buffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x):
        return x * self.scale.to(x.device)


def make_buffer():
    return Buffer(), [((torch.randn(3, 4),), {})]


class PlainNumber(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.tensor(2.0)

    def forward(self, x):
        return x * self.scale


def make_plain_number():
    return PlainNumber(), [((torch.randn(3, 4),), {})]


class NumberBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(2.0), persistent=False)

    def forward(self, x):
        return x * self.scale


def make_number_buffer():
    return NumberBuffer(), [((torch.randn(3, 4),), {})]


class ComputedNumber(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = torch.linspace(0.1, 1.0, 10)

    def forward(self, x):
        return x * self.steps[3]


def make_computed_number():
    return ComputedNumber(), [((torch.randn(3, 4),), {})]


class NumberOfBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.linspace(0.1, 1.0, 10))

    def forward(self, x):
        return x * self.steps[3]


def make_number_of_buffer():
    return NumberOfBuffer(), [((torch.randn(3, 4),), {})]


MEAN = torch.tensor([0.1, 0.2, 0.3, 0.4])


def global_moved(x):
    return x - MEAN.to(x.device)


def make_global_moved():
    return global_moved, [((torch.randn(3, 4),), {})]


MEAN_LIST = [0.1, 0.2, 0.3, 0.4]


def global_list_there(x):
    return x - torch.tensor(MEAN_LIST, device=x.device)


def make_global_list_there():
    return global_list_there, [((torch.randn(3, 4),), {})]


HALF = torch.tensor(0.5)


def global_number(x):
    return x * HALF


def make_global_number():
    return global_number, [((torch.randn(3, 4),), {})]


HALF_FLOAT = 0.5


def global_float(x):
    return x * HALF_FLOAT


def make_global_float():
    return global_float, [((torch.randn(3, 4),), {})]


class TensorsInDict(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = {"a": torch.ones(4), "b": torch.zeros(4)}

    def forward(self, x):
        return x * self.tables["a"].to(x.device) + self.tables["b"].to(x.device)


def make_tensors_in_dict():
    return TensorsInDict(), [((torch.randn(3, 4),), {})]


class BufferIndexed(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ids", torch.arange(16).expand(1, -1), persistent=False)
        self.table = nn.Embedding(16, 4)

    def forward(self, x):
        return x + self.table(self.ids[:, : x.shape[1]])


def make_buffer_indexed():
    return BufferIndexed(), [((torch.randn(2, 3, 4),), {})]


class IdsMade(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(16, 4)

    def forward(self, x):
        ids = torch.arange(x.shape[1]).unsqueeze(0).to(x.device)
        return x + self.table(ids)


def make_ids_made():
    return IdsMade(), [((torch.randn(2, 3, 4),), {})]


def list_index(x):
    return x[:, [0, 2]]


def make_list_index():
    return list_index, [((torch.randn(3, 4),), {})]


def host_tensor_index(x):
    return x[:, torch.tensor([0, 2])]


def make_host_tensor_index():
    return host_tensor_index, [((torch.randn(3, 4),), {})]


def device_tensor_index(x):
    return x[:, torch.tensor([0, 2], device=x.device)]


def make_device_tensor_index():
    return device_tensor_index, [((torch.randn(3, 4),), {})]


def host_arange_index(x):
    return x[torch.arange(x.shape[0]), 0]


def make_host_arange_index():
    return host_arange_index, [((torch.randn(3, 4),), {})]


def host_random_moved(x):
    return x + torch.rand(4).to(x.device)


def make_host_random_moved():
    return host_random_moved, [((torch.randn(3, 4),), {})]


def random_there(x):
    return x + torch.rand(4, device=x.device)


def make_random_there():
    return random_there, [((torch.randn(3, 4),), {})]


def host_permutation_moved(x):
    return x[:, torch.randperm(4).to(x.device)]


def make_host_permutation_moved():
    return host_permutation_moved, [((torch.randn(3, 4),), {})]


def permutation_there(x):
    return x[:, torch.randperm(4, device=x.device)]


def make_permutation_there():
    return permutation_there, [((torch.randn(3, 4),), {})]


def host_noise_level(x):
    return x + 0.1 * torch.randn(x.shape).to(x.device)


def make_host_noise_level():
    return host_noise_level, [((torch.randn(3, 4),), {})]


def normal_like(x):
    return x + 0.1 * torch.randn_like(x)


def make_normal_like():
    return normal_like, [((torch.randn(3, 4),), {})]


def host_number_only(x):
    limit = torch.tensor(3.0).clamp(max=2.0)
    return torch.minimum(x, limit.to(x.device))


def make_host_number_only():
    return host_number_only, [((torch.randn(3, 4),), {})]


def host_table_looked_up(x):
    table = torch.cumsum(torch.tensor([1.0, 2.0, 3.0, 4.0]), 0)
    return x * table.to(x)


def make_host_table_looked_up():
    return host_table_looked_up, [((torch.randn(3, 4),), {})]


def cuda_method(x):
    return x + torch.zeros(4).cuda()


def make_cuda_method():
    return cuda_method, [((torch.randn(3, 4),), {})]


def lengths_of_list(x, lengths):
    limit = torch.tensor(lengths).to(x.device)
    mask = torch.arange(x.shape[1], device=x.device)[None] < limit[:, None]
    return x.masked_fill(~mask, 0.0)


def make_lengths_of_list():
    return lengths_of_list, [((torch.randn(3, 4), [1, 2, 3]), {})]


def lengths_of_tensor(x, lengths):
    mask = torch.arange(x.shape[1], device=x.device)[None] < lengths[:, None]
    return x.masked_fill(~mask, 0.0)


def make_lengths_of_tensor():
    return lengths_of_tensor, [((torch.randn(3, 4), torch.tensor([1, 2, 3])), {})]


def eye_added(x):
    return x + torch.eye(4).to(x.device, x.dtype)


def make_eye_added():
    return eye_added, [((torch.randn(4, 4),), {})]


def full_moved(x):
    return torch.where(x > 0, x, torch.full((), float("-inf")).to(x.device))


def make_full_moved():
    return full_moved, [((torch.randn(4, 4),), {})]


def full_joined(x):
    return torch.where(x > 0, x, torch.tensor(-1.0))


def make_full_joined():
    return full_joined, [((torch.randn(4, 4),), {})]


def window_made(x):
    return x * torch.hann_window(x.shape[-1]).to(x.device)


def make_window_made():
    return window_made, [((torch.randn(4, 8),), {})]


def window_there(x):
    return x * torch.hann_window(x.shape[-1], device=x.device)


def make_window_there():
    return window_there, [((torch.randn(4, 8),), {})]


def meshgrid_moved(x):
    h, w = x.shape
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    grid = torch.stack([ys, xs], -1).float().to(x.device)
    return x + grid.sum(-1)


def make_meshgrid_moved():
    return meshgrid_moved, [((torch.randn(4, 8),), {})]


def device_context(x):
    with torch.device("cuda"):
        return x + torch.arange(4)


def make_device_context():
    return device_context, [((torch.randn(3, 4),), {})]
