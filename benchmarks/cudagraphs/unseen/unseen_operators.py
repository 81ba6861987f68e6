"""Custom operators in small layers, and quantizers."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@torch.library.custom_op("unseen_ops::amax_scale", mutates_args=())
def amax_scale(x: torch.Tensor) -> torch.Tensor:
    peak = float(x.abs().max())
    return x / peak if peak > 0 else x.clone()


@amax_scale.register_fake
def _(x):
    return torch.empty_like(x)


class ScaledBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return F.gelu(amax_scale(self.fc(x)))


def make_op_amax_scale():
    return ScaledBlock(), [((torch.randn(4, 8),), {})]


@torch.library.custom_op("unseen_ops::swish_gate", mutates_args=())
def swish_gate(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    return x * gate * torch.sigmoid(gate)


@swish_gate.register_fake
def _(x, gate):
    return torch.empty_like(x)


class GatedMLP(nn.Module):
    def __init__(self, d=8, h=16):
        super().__init__()
        self.up, self.down = nn.Linear(d, 2 * h), nn.Linear(h, d)

    def forward(self, x):
        return self.down(swish_gate(*self.up(x).chunk(2, -1)))


def make_op_swish_gate():
    return GatedMLP(), [((torch.randn(4, 8),), {}), ((torch.randn(4, 8),), {})]


@torch.library.custom_op("unseen_ops::paged_gather", mutates_args=(), tags=(torch.Tag.cudagraph_unsafe,))
def paged_gather(pages: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    return pages[table].flatten(1, 2)


@paged_gather.register_fake
def _(pages, table):
    return pages.new_empty(table.shape[0], table.shape[1] * pages.shape[1], *pages.shape[2:])


def paged_scores(q, pages, table):
    keys = paged_gather(pages, table)
    return torch.einsum("bd,btd->bt", q * q.shape[-1] ** -0.5, keys).softmax(-1)


def make_op_paged_gather():
    return paged_scores, [((torch.randn(2, 8), torch.randn(6, 4, 8), torch.tensor([[0, 3], [5, 1]])), {})]


@torch.library.custom_op(
    "unseen_ops::rms_norm", mutates_args=(), tags=(torch.Tag.needs_fixed_stride_order, torch.Tag.pt2_compliant_tag)
)
def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


@rms_norm.register_fake
def _(x, weight, eps):
    return torch.empty_like(x)


class NormedLinear(nn.Linear):
    def __init__(self, d):
        super().__init__(d, d, bias=False)
        self.gain = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x + super().forward(rms_norm(x, self.gain, 1e-6))


def make_op_tagged_rms_norm():
    return NormedLinear(8), [((torch.randn(2, 3, 8),), {})]


@torch.library.custom_op("unseen_ops::write_slots", mutates_args=("cache",))
def write_slots(cache: torch.Tensor, value: torch.Tensor, slots: torch.Tensor) -> None:
    cache.index_copy_(0, slots, value)


@write_slots.register_fake
def _(cache, value, slots):
    return None


def store_and_score(q, value, cache, slots):
    write_slots(cache, value, slots)
    return (q @ cache.T).softmax(-1)


def make_op_write_slots_argument():
    return store_and_score, [((torch.randn(2, 8), torch.randn(3, 8), torch.zeros(16, 8), torch.tensor([1, 5, 7])), {})]


@torch.library.custom_op("unseen_ops::fill_diag_", mutates_args={"mat"})
def fill_diag_(mat: torch.Tensor, value: float) -> None:
    mat.fill_diagonal_(value)


@fill_diag_.register_fake
def _(mat, value):
    pass


def self_excluding_similarity(x, temperature=0.1):
    sim = F.normalize(x, dim=1) @ F.normalize(x, dim=1).T / temperature
    fill_diag_(sim, -1e9)
    return sim.log_softmax(1)


def make_op_fill_diag_fresh():
    return self_excluding_similarity, [((torch.randn(6, 8),), {})]


@torch.library.custom_op("unseen_ops::accumulate_hist", mutates_args=("hist",))
def accumulate_hist(hist: torch.Tensor, ids: torch.Tensor) -> None:
    hist.index_add_(0, ids, torch.ones_like(ids, dtype=hist.dtype))


@accumulate_hist.register_fake
def _(hist, ids):
    return None


class UsageEmbedding(nn.Embedding):
    def __init__(self, n, d):
        super().__init__(n, d)
        self.register_buffer("hist", torch.zeros(n))

    def forward(self, ids):
        accumulate_hist(self.hist, ids.flatten())
        return super().forward(ids) * (1 + self.hist[ids]).rsqrt().unsqueeze(-1)


def make_op_histogram_buffer():
    return UsageEmbedding(10, 4), [((torch.randint(10, (2, 3)),), {}), ((torch.randint(10, (2, 3)),), {})]


LIB = torch.library.Library("unseen_fragment", "DEF")
LIB.define("soft_shrink(Tensor x, Tensor lam) -> Tensor")


def _soft_shrink(x, lam):
    return x.sign() * (x.abs() - lam).clamp(min=0)


LIB.impl("soft_shrink", _soft_shrink, "CompositeExplicitAutograd")
torch.library.register_fake("unseen_fragment::soft_shrink")(lambda x, lam: torch.empty_like(x))


def make_op_library_fragment():
    def ista(x, dictionary, lam):
        code = x @ dictionary
        for _ in range(3):
            grad = (code @ dictionary.T - x) @ dictionary
            code = torch.ops.unseen_fragment.soft_shrink(code - 0.1 * grad, lam)
        return code

    return ista, [((torch.randn(2, 6), torch.randn(6, 12) * 0.3, torch.tensor(0.05)), {})]


@torch.library.custom_op("unseen_ops::numpy_median", mutates_args=())
def numpy_median(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.median(x.cpu().numpy(), axis=-1)).to(x)


@numpy_median.register_fake
def _(x):
    return x.new_empty(x.shape[:-1])


class MedianCenter(nn.Module):
    def forward(self, x):
        centered = x - numpy_median(x).unsqueeze(-1)
        return centered / centered.abs().mean(-1, keepdim=True)


def make_op_numpy_median():
    return MedianCenter(), [((torch.randn(4, 9),), {})]


@torch.library.custom_op("unseen_ops::select_rows", mutates_args=())
def select_rows(x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    return x[keep].clone()


@select_rows.register_fake
def _(x, keep):
    n = torch.library.get_ctx().new_dynamic_size()
    return x.new_empty(n, *x.shape[1:])


def pooled_active(x, w):
    rows = select_rows(x, x.mean(1) > 0)
    return torch.tanh(rows @ w).sum(0)


def make_op_select_rows():
    return pooled_active, [((torch.randn(10, 8), torch.randn(8, 4)), {})]


def quantize_int8(w):
    scale = w.abs().max().item() / 127
    q = torch.clamp((w / scale).round(), -128, 127).to(torch.int8)
    return q, scale


def int8_linear(x, w):
    q, scale = quantize_int8(w)
    return F.linear(x, q.to(x.dtype)) * scale


def make_int8_host_scale():
    return int8_linear, [((torch.randn(4, 8), torch.randn(6, 8)), {})]


class Int8Linear(nn.Module):
    def __init__(self, lin: nn.Linear):
        super().__init__()
        scale = lin.weight.detach().abs().amax(1, keepdim=True) / 127
        self.register_buffer("qweight", (lin.weight.detach() / scale).round().to(torch.int8))
        self.register_buffer("scale", scale.squeeze(1))

    def forward(self, x):
        xs = x.abs().amax(-1, keepdim=True).clamp(min=1e-5) / 127
        xq = (x / xs).round().clamp(-128, 127)
        return (xq @ self.qweight.to(x.dtype).t()) * xs * self.scale


def make_int8_dynamic_tokens():
    return Int8Linear(nn.Linear(8, 6)), [((torch.randn(4, 8),), {})]


class MinMaxObserver(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("min_val", torch.tensor(float("inf")))
        self.register_buffer("max_val", torch.tensor(float("-inf")))

    def forward(self, x):
        self.min_val.copy_(torch.minimum(self.min_val, x.amin()))
        self.max_val.copy_(torch.maximum(self.max_val, x.amax()))
        scale = ((self.max_val - self.min_val) / 255).clamp(min=1e-8)
        zero = (-self.min_val / scale).round().clamp(0, 255)
        return ((x / scale + zero).round().clamp(0, 255) - zero) * scale


def make_observer_copy_buffers():
    return MinMaxObserver(), [((torch.randn(4, 8),), {}), ((torch.randn(4, 8),), {})]


class RangeTracker(nn.Module):
    def __init__(self, momentum=0.9):
        super().__init__()
        self.momentum = momentum
        self.amax = None

    def forward(self, x):
        now = x.abs().amax()
        self.amax = now if self.amax is None else torch.lerp(now, self.amax, self.momentum)
        step = self.amax / 127
        return (x / step).round().clamp(-127, 127) * step


def make_range_tracker_attribute():
    return RangeTracker(), [((torch.randn(4, 8),), {}), ((torch.randn(4, 8),), {})]


class PackedInt4(nn.Module):
    def __init__(self, out_features=6, in_features=8, group=4):
        super().__init__()
        self.group = group
        self.register_buffer("packed", torch.randint(0, 256, (out_features, in_features // 2), dtype=torch.uint8))
        self.register_buffer("scales", torch.rand(out_features, in_features // group) * 0.1)

    def dequant(self):
        low, high = self.packed & 0xF, self.packed >> 4
        w = torch.stack([low, high], -1).flatten(1).to(self.scales.dtype) - 8
        return w * self.scales.repeat_interleave(self.group, dim=1)

    def forward(self, x):
        return x @ self.dequant().T


def make_int4_unpack():
    return PackedInt4(), [((torch.randn(3, 8),), {})]


class FSQ(nn.Module):
    def __init__(self, levels=(8, 5, 5)):
        super().__init__()
        self._levels = torch.tensor(levels)
        self._basis = torch.cumprod(torch.tensor([1, *levels[:-1]]), 0)

    def bound(self, z, levels):
        half = (levels - 1) / 2
        return torch.tanh(z) * half

    def forward(self, z):
        levels = self._levels.to(z.device)
        q = self.bound(z, levels).round()
        index = ((q + levels // 2) * self._basis.to(z.device)).sum(-1).long()
        return q / (levels // 2), index


def make_fsq_level_attributes():
    return FSQ(), [((torch.randn(2, 7, 3),), {})]


def outlier_matmul(x, w, threshold=2.0):
    cols = torch.unique(torch.where(x.abs() > threshold)[1])
    rest = x.clone()
    rest[:, cols] = 0
    s = rest.abs().amax().clamp(min=1e-6) / 127
    return (rest / s).round() * s @ w + x[:, cols] @ w[cols]


def make_outlier_columns():
    return outlier_matmul, [((torch.randn(6, 8) * 1.5, torch.randn(8, 4)), {})]
