"""Attention layers and their masks, rotary tables, position biases and key-value stores."""

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


class RotaryTable:
    def __init__(self, dim, max_len, base=10000.0):
        inv = 1.0 / base ** (torch.arange(0, dim, 2).float() / dim)
        angles = torch.outer(torch.arange(max_len).float(), inv)
        self.cos, self.sin = angles.cos(), angles.sin()

    def rotate(self, x):
        cos = self.cos[: x.shape[-2]].to(x.device)
        sin = self.sin[: x.shape[-2]].to(x.device)
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


class RotarySelfAttention(nn.Module):
    def __init__(self, dim=64, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.rope = RotaryTable(dim // heads, 128)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        out = F.scaled_dot_product_attention(self.rope.rotate(q), self.rope.rotate(k), v, is_causal=True)
        return out.transpose(1, 2).flatten(2)


def make_rotary_table_object():
    return RotarySelfAttention(), [((torch.randn(2, 16, 64),), {})]


class NeoxRotary(nn.Module):
    def __init__(self, dim, max_len=128):
        super().__init__()
        inv_freq = 1.0 / 10000 ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim)
        freqs = torch.arange(max_len, dtype=torch.float32)[:, None] * inv_freq[None]
        emb = torch.cat([freqs, freqs], dim=-1)
        self.register_buffer("cos", emb.cos(), persistent=False)
        self.register_buffer("sin", emb.sin(), persistent=False)

    @staticmethod
    def rotate_half(x):
        a, b = x.chunk(2, dim=-1)
        return torch.cat((-b, a), dim=-1)

    def forward(self, q, k, position_ids):
        cos, sin = self.cos[position_ids].unsqueeze(1), self.sin[position_ids].unsqueeze(1)
        return q * cos + self.rotate_half(q) * sin, k * cos + self.rotate_half(k) * sin


def make_neox_rotary():
    q, k = torch.randn(2, 4, 10, 16), torch.randn(2, 4, 10, 16)
    return NeoxRotary(16), [((q, k, torch.arange(10).expand(2, 10).contiguous()), {})]


def alibi_slopes(n):
    start = 2.0 ** (-8.0 / n)
    return [start ** (i + 1) for i in range(n)]


def alibi_attention(q, k, v):
    heads, t = q.shape[1], q.shape[2]
    slopes = torch.tensor(alibi_slopes(heads), device=q.device).view(1, heads, 1, 1)
    pos = torch.arange(t, device=q.device)
    bias = -slopes * (pos[:, None] - pos[None, :]).abs()
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + bias
    return scores.softmax(-1) @ v


def make_alibi_slopes_list():
    return alibi_attention, [(tuple(torch.randn(1, 12, 8, 16) for _ in range(3)), {})]


class MiniGPTAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.h = heads
        self.c_attn = nn.Linear(width, width * 3, bias=False)
        self.c_proj = nn.Linear(width, width, bias=False)

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = self.c_attn(x).split(c, dim=2)
        q, k, v = [y.view(b, t, self.h, c // self.h).transpose(1, 2) for y in (q, k, v)]
        mask = torch.tril(torch.ones(t, t)).to(x.device)
        att = (q @ k.transpose(-2, -1)).masked_fill(mask == 0, float("-inf")).softmax(-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(b, t, c))


def make_tril_in_forward():
    return MiniGPTAttention(32, 2), [((torch.randn(2, 12, 32),), {})]


def decode_with_cache(q, k_new, v_new, cache, pos):
    cache["k"].index_copy_(2, pos, k_new)
    cache["v"].index_copy_(2, pos, v_new)
    valid = torch.arange(cache["k"].shape[2], device=q.device) <= pos
    return F.scaled_dot_product_attention(q, cache["k"], cache["v"], attn_mask=valid[None, None, None])


def make_decode_cache_dict():
    cache = {"k": torch.zeros(1, 2, 32, 16), "v": torch.zeros(1, 2, 32, 16)}
    step = [torch.randn(1, 2, 1, 16) for _ in range(3)]
    return decode_with_cache, [((*step, cache, torch.tensor([4])), {})]


class StaticKV(nn.Module):
    def __init__(self, heads, size, dim):
        super().__init__()
        for name in ("k", "v"):
            self.register_buffer(f"{name}_cache", torch.zeros(1, heads, size, dim))

    def update(self, pos, k, v):
        self.k_cache[:, :, pos] = k
        self.v_cache[:, :, pos] = v
        return self.k_cache, self.v_cache


class DecoderAttn(nn.Module):
    def __init__(self):
        super().__init__()
        self.kv = StaticKV(2, 32, 16)
        self.wqkv = nn.Linear(32, 96)
        self.register_buffer("mask", torch.tril(torch.ones(32, 32, dtype=torch.bool)))

    def forward(self, x, input_pos):
        q, k, v = (y.view(1, -1, 2, 16).transpose(1, 2) for y in self.wqkv(x).chunk(3, -1))
        k, v = self.kv.update(input_pos, k, v)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask[input_pos])


def make_static_kv_module():
    m = DecoderAttn().eval()
    return m, [((torch.randn(1, 4, 32), torch.arange(4)), {}), ((torch.randn(1, 4, 32), torch.arange(4, 8)), {})]


class GrowingCacheAttention(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.to_q, self.to_kv = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim)
        self.past = None

    def forward(self, x):
        k, v = self.to_kv(x).chunk(2, dim=-1)
        if self.past is not None:
            k = torch.cat([self.past[0], k], dim=1)
            v = torch.cat([self.past[1], v], dim=1)
        self.past = (k, v)
        return F.scaled_dot_product_attention(self.to_q(x), k, v)


def make_growing_past():
    return GrowingCacheAttention(), [((torch.randn(2, 3, 32),), {}), ((torch.randn(2, 1, 32),), {})]


@dataclass
class BandConfig:
    dim: int = 48
    heads: int = 3
    window: int = 4
    max_len: int = 32


class BandAttention(nn.Module):
    def __init__(self, cfg: BandConfig):
        super().__init__()
        self.cfg = cfg
        self.inp = nn.Linear(cfg.dim, 3 * cfg.dim)
        pos = torch.arange(cfg.max_len, device="cuda")
        self.band = (pos[:, None] - pos[None]).abs() < cfg.window

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.inp(x).reshape(b, t, 3, self.cfg.heads, -1).permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=self.band[:t, :t])
        return out.transpose(1, 2).reshape(b, t, c)


def make_band_mask_attribute():
    return BandAttention(BandConfig()), [((torch.randn(2, 16, 48),), {})]


def packed_attention(qkv, cu_seqlens):
    lengths = (cu_seqlens[1:] - cu_seqlens[:-1]).tolist()
    outs = []
    for chunk in torch.split(qkv, lengths):
        q, k, v = chunk.permute(1, 2, 0, 3)
        outs.append(F.scaled_dot_product_attention(q, k, v).transpose(0, 1))
    return torch.cat(outs)


def make_packed_sequences():
    return packed_attention, [((torch.randn(12, 3, 2, 8), torch.tensor([0, 5, 9, 12])), {})]


def document_attention(qkv, cu_seqlens):
    total = qkv.shape[0]
    idx = torch.arange(total, device=qkv.device)
    doc = torch.bucketize(idx, cu_seqlens[1:], right=True)
    same = doc[:, None] == doc[None, :]
    q, k, v = qkv.permute(1, 2, 0, 3)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=same).transpose(0, 1)


def make_document_mask():
    return document_attention, [((torch.randn(12, 3, 2, 8), torch.tensor([0, 5, 9, 12])), {})]


class T5Bias(nn.Module):
    def __init__(self, buckets=16, max_distance=32, heads=4):
        super().__init__()
        self.buckets, self.max_distance = buckets, max_distance
        self.table = nn.Embedding(buckets, heads)

    def bucket(self, rel):
        half = self.buckets // 2
        sign = (rel > 0).long() * half
        n = rel.abs()
        exact = half // 2
        large = exact + (torch.log(n.float().clamp(min=1) / exact) / math.log(self.max_distance / exact) * exact).long()
        return sign + torch.where(n < exact, n, large.clamp(max=half - 1))

    def forward(self, scores):
        q, k = scores.shape[-2:]
        rel = torch.arange(k, device=scores.device)[None] - torch.arange(q, device=scores.device)[:, None]
        return scores + self.table(self.bucket(rel)).permute(2, 0, 1)


def make_t5_bias():
    return T5Bias(), [((torch.randn(2, 4, 10, 10),), {})]


class SwinBias(nn.Module):
    def __init__(self, ws=3, heads=2):
        super().__init__()
        self.table = nn.Parameter(torch.randn((2 * ws - 1) ** 2, heads) * 0.02)
        grid = torch.stack(torch.meshgrid(torch.arange(ws), torch.arange(ws), indexing="ij")).flatten(1)
        rel = (grid[:, :, None] - grid[:, None]).permute(1, 2, 0) + ws - 1
        self.relative_position_index = rel[..., 0] * (2 * ws - 1) + rel[..., 1]

    def forward(self, attn):
        n = attn.shape[-1]
        bias = self.table[self.relative_position_index.view(-1)].view(n, n, -1)
        return (attn + bias.permute(2, 0, 1)).softmax(-1)


def make_swin_index_attribute():
    return SwinBias(), [((torch.randn(4, 2, 9, 9),), {})]


def tempered(q, k, v, *, temperature=1.0):
    w = torch.einsum("bhid,bhjd->bhij", q, k) / temperature
    return torch.einsum("bhij,bhjd->bhid", w.softmax(dim=-1), v)


def make_temperature_schedule():
    args = tuple(torch.randn(1, 2, 6, 8) for _ in range(3))
    return tempered, [(args, {"temperature": 0.9}), (args, {"temperature": 0.45})]


class CosineAttention(nn.Module):
    def __init__(self, heads=2):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.full((heads, 1, 1), math.log(10.0)))
        self.max_log = math.log(100.0)

    def forward(self, q, k, v):
        sim = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT
        return (sim * self.logit_scale.clamp(max=self.max_log).exp()).softmax(-1) @ v


def make_cosine_attention():
    return CosineAttention(), [(tuple(torch.randn(2, 2, 7, 8) for _ in range(3)), {})]


def safe_softmax(scores, mask):
    probs = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    if torch.isnan(probs).any():
        probs = torch.nan_to_num(probs, nan=0.0)
    return probs


def masked_attention(q, k, v, mask):
    return safe_softmax(q @ k.mT, mask) @ v


def make_nan_rows_branch():
    mask = torch.ones(2, 5, 5, dtype=torch.bool)
    mask[0, 2] = False
    return masked_attention, [((*(torch.randn(2, 5, 8) for _ in range(3)), mask), {})]


def make_row_guarded_softmax():
    def attend(q, k, v, mask):
        scores = (q @ k.mT).masked_fill(~mask, torch.finfo(q.dtype).min)
        has_any = mask.any(dim=-1, keepdim=True)
        return torch.where(has_any, scores.softmax(-1), 0.0) @ v

    mask = torch.rand(2, 5, 5) > 0.5
    return attend, [((*(torch.randn(2, 5, 8) for _ in range(3)), mask), {})]


class FavorFeatures(nn.Module):
    def __init__(self, dim=16, features=32):
        super().__init__()
        self.dim, self.features = dim, features

    def projection(self, like):
        blocks = [torch.linalg.qr(torch.randn(self.dim, self.dim))[0] for _ in range(self.features // self.dim)]
        return torch.cat(blocks).to(like)

    def forward(self, q, k, v):
        w = self.projection(q)
        phi = [torch.exp(y @ w.T - y.square().sum(-1, keepdim=True) / 2) for y in (q, k)]
        num = phi[0] @ (phi[1].mT @ v)
        return num / (phi[0] @ phi[1].sum(1, keepdim=True).mT)


def make_favor_redraw():
    return FavorFeatures(), [(tuple(torch.randn(2, 6, 16) * 0.1 for _ in range(3)), {})]


class LinearAttention(nn.Module):
    def __init__(self, dim=16, features=32):
        super().__init__()
        self.register_buffer("proj", torch.randn(features, dim))
        self.redraw_scale = 0.1

    def forward(self, q, k, v):
        w = self.proj + self.redraw_scale * torch.randn_like(self.proj)
        fq, fk = F.elu(q @ w.T) + 1, F.elu(k @ w.T) + 1
        z = (fq * fk.sum(1, keepdim=True)).sum(-1, keepdim=True).reciprocal()
        return fq @ (fk.mT @ v) * z


def make_linear_attention_jitter():
    return LinearAttention(), [(tuple(torch.randn(2, 6, 16) for _ in range(3)), {})]
