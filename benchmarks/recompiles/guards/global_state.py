"""GLOBAL_STATE, DETERMINISTIC_ALGORITHMS, DEFAULT_DEVICE, TORCH_FUNCTION_STATE: flags of torch that the code leaves changed."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


def _double(x):
    torch.set_default_dtype(torch.float64)
    return x + torch.ones(4).to(x.dtype)


def make_default_dtype():
    return _double, (X,)


def _deterministic(x):
    torch.use_deterministic_algorithms(True)
    return x.cumsum(0)


def make_deterministic():
    return _deterministic, (X,)


def _warn_only(x):
    torch.use_deterministic_algorithms(True, warn_only=True)
    return x * 2


def make_deterministic_warn_only():
    return _warn_only, (X,)


def _precision(x):
    torch.set_float32_matmul_precision("high")
    return x @ x.t()


def make_matmul_precision():
    return _precision, (X,)


def _tf32(x):
    torch.backends.cuda.matmul.allow_tf32 = True
    return x @ x.t()


def make_allow_tf32():
    return _tf32, (X,)


def _reduced(x):
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    return x * 2


def make_reduced_precision():
    return _reduced, (X,)


def _threads(x):
    torch.set_num_threads(2)
    return x * 2


def make_threads():
    return _threads, (X,)


def _cudnn(x):
    torch.backends.cudnn.benchmark = True
    return x * 2


def make_cudnn_benchmark():
    return _cudnn, (X,)


def _deterministic_cudnn(x):
    torch.backends.cudnn.deterministic = True
    return x * 2


def make_cudnn_deterministic():
    return _deterministic_cudnn, (X,)


def _device(x):
    torch.set_default_device("cpu")
    return x + torch.ones(4)


def make_default_device():
    return _device, (X,)


class HalfPart(nn.Module):
    def forward(self, x):
        torch.set_default_dtype(torch.bfloat16)
        y = torch.zeros(4)
        return x + y.to(x.dtype)


def make_default_dtype_in_a_module():
    return HalfPart(), (X,)


def _restored(x):
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    y = torch.ones(4)
    torch.set_default_dtype(before)
    return x + y.to(x.dtype)


def make_default_dtype_put_back():
    return _restored, (X,)


def _same(x):
    torch.set_default_dtype(torch.float32)
    return x + torch.ones(4)


def make_default_dtype_as_it_was():
    return _same, (X,)


def _not_deterministic(x):
    torch.use_deterministic_algorithms(False)
    return x * 2


def make_not_deterministic_as_it_was():
    return _not_deterministic, (X,)


def _autocast(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ x.t()
    return y.float()


def make_with_autocast():
    return _autocast, (X,)


def _highest(x):
    torch.set_float32_matmul_precision("highest")
    return x @ x.t()


def make_matmul_precision_as_it_was():
    return _highest, (X,)


def _seed(x):
    torch.manual_seed(0)
    return x + torch.rand(4)


def make_seeded():
    return _seed, (X,)


def _read(x):
    dtype = torch.get_default_dtype()
    return x.to(dtype) * 2


def make_default_dtype_read():
    return _read, (X,)


def _autocast_on(x):
    torch.set_autocast_enabled("cpu", True)
    return x @ x.t()


def make_autocast_switched_on():
    return _autocast_on, (X,)


def _autocast_dtype(x):
    torch.set_autocast_dtype("cpu", torch.float16)
    return x * 2


def make_autocast_dtype():
    return _autocast_dtype, (X,)
