"""Language models, as their owners write them: masks, caches, samplers, losses."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, width=32, heads=4, block=64):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.bias = torch.tril(torch.ones(block, block)).view(1, 1, block, block)

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = self.qkv(x).split(c, dim=2)
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in (q, k, v))
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        att = att.masked_fill(self.bias[:, :, :t, :t].to(x.device) == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, c))


def make_mask_kept_plainly():
    return CausalSelfAttention(), [((torch.randn(2, 8, 32),), {})]


class BufferedCausalSelfAttention(CausalSelfAttention):
    def __init__(self):
        super().__init__()
        mask = self.bias
        del self.bias
        self.register_buffer("bias", mask)


def make_mask_kept_as_buffer():
    return BufferedCausalSelfAttention(), [((torch.randn(2, 8, 32),), {})]


class SinusoidalPositions(nn.Module):
    def __init__(self, width=32, length=100):
        super().__init__()
        position = torch.arange(length).unsqueeze(1)
        div = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        self.pe = torch.zeros(length, width)
        self.pe[:, 0::2] = torch.sin(position * div)
        self.pe[:, 1::2] = torch.cos(position * div)

    def forward(self, x):
        return x + self.pe[: x.size(1)].to(x.device, x.dtype)


def make_positions_kept_plainly():
    return SinusoidalPositions(), [((torch.randn(2, 8, 32),), {})]


class ComputedPositions(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.width = width

    def forward(self, x):
        position = torch.arange(x.size(1)).unsqueeze(1)
        div = torch.exp(torch.arange(0, self.width, 2) * (-math.log(10000.0) / self.width))
        pe = torch.stack([torch.sin(position * div), torch.cos(position * div)], dim=-1).flatten(1)
        return x + pe.to(x.device)


def make_positions_computed_then_moved():
    return ComputedPositions(), [((torch.randn(2, 8, 32),), {})]


class Decoder(nn.Module):
    def __init__(self, width=32, vocabulary=50):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(64, width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids, labels=None):
        place = torch.arange(ids.shape[1], dtype=torch.long, device=ids.device)
        logits = self.head(self.tokens(ids) + self.positions(place))
        if labels is None:
            return logits
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)


def make_decoder_with_loss():
    ids = torch.randint(0, 50, (2, 8))
    return Decoder(), [((ids, ids.clone()), {})]


class CachedKeys(nn.Module):
    def __init__(self, width=32, length=16):
        super().__init__()
        self.key = nn.Linear(width, width)
        self.register_buffer("keys", torch.zeros(1, length, width), persistent=False)

    def forward(self, x, position):
        self.keys[:, position] = self.key(x)[:, 0]
        return x @ self.keys.transpose(1, 2)


def make_cache_as_buffer():
    return CachedKeys(), [((torch.randn(1, 1, 32), torch.tensor([3])), {})]


def attend_and_store(q, k, v, cache_k, cache_v, position):
    cache_k[:, :, position] = k
    cache_v[:, :, position] = v
    return F.scaled_dot_product_attention(q, cache_k, cache_v)


def make_cache_passed_in():
    q, k, v = (torch.randn(1, 2, 1, 8) for _ in range(3))
    return attend_and_store, [
        ((q, k, v, torch.zeros(1, 2, 16, 8), torch.zeros(1, 2, 16, 8), torch.tensor([2])), {})
    ]


def attend_and_return(q, k, v, past_k, past_v):
    k, v = torch.cat([past_k, k], dim=2), torch.cat([past_v, v], dim=2)
    return F.scaled_dot_product_attention(q, k, v), k, v


def make_cache_returned():
    q, k, v = (torch.randn(1, 2, 1, 8) for _ in range(3))
    return attend_and_return, [((q, k, v, torch.zeros(1, 2, 16, 8), torch.zeros(1, 2, 16, 8)), {})]


class GrowingCache(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.key = nn.Linear(width, width)
        self.past = None

    def forward(self, x):
        k = self.key(x)
        self.past = k if self.past is None else torch.cat([self.past, k], dim=1)[:, -4:]
        return x @ self.past.transpose(1, 2)


def make_cache_in_attribute():
    return GrowingCache(), [((torch.randn(1, 4, 16),), {})]


def sample_top_k(logits, k=5, temperature=0.8):
    values, _ = torch.topk(logits, k)
    logits = torch.where(logits < values[:, -1:], torch.full_like(logits, -float("inf")), logits)
    probabilities = F.softmax(logits / temperature, dim=-1)
    return torch.multinomial(probabilities, 1)


def make_sample_top_k():
    return sample_top_k, [((torch.randn(2, 20),), {})]


def sample_top_k_in_place(logits, k=5):
    values, _ = torch.topk(logits, k)
    logits[logits < values[:, [-1]]] = -float("inf")
    return F.softmax(logits, dim=-1)


def make_sample_top_k_in_place():
    return sample_top_k_in_place, [((torch.randn(2, 20),), {})]


def sample_nucleus(logits, p=0.9):
    ordered, order = torch.sort(logits, descending=True)
    remove = torch.cumsum(F.softmax(ordered, -1), -1) > p
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    return logits.masked_fill(remove.scatter(1, order, remove), -float("inf"))


def make_sample_nucleus():
    return sample_nucleus, [((torch.randn(2, 20),), {})]


def penalized(logits, tokens, penalty):
    score = torch.gather(logits, 1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    logits.scatter_(1, tokens, score)
    return logits


def make_repetition_penalty():
    return penalized, [((torch.randn(2, 20), torch.randint(0, 20, (2, 4)), 1.2), {})]


def padding_mask(x, lengths):
    mask = torch.arange(x.shape[1])[None, :] < lengths[:, None].cpu()
    return x * mask.to(x.device).unsqueeze(-1)


def make_padding_mask_on_host():
    return padding_mask, [((torch.randn(2, 8, 4), torch.tensor([3, 8])), {})]


def padding_mask_there(x, lengths):
    mask = torch.arange(x.shape[1], device=x.device)[None, :] < lengths[:, None]
    return x * mask.unsqueeze(-1)


def make_padding_mask_there():
    return padding_mask_there, [((torch.randn(2, 8, 4), torch.tensor([3, 8])), {})]


def mean_pooled(hidden, mask):
    expanded = mask.unsqueeze(-1).expand(hidden.size()).float()
    return (hidden * expanded).sum(1) / torch.clamp(expanded.sum(1), min=1e-9)


def make_mean_pooled():
    return mean_pooled, [((torch.randn(2, 8, 4), torch.ones(2, 8, dtype=torch.long)), {})]


class Experts(nn.Module):
    def __init__(self, width=16, count=4):
        super().__init__()
        self.gate = nn.Linear(width, count)
        self.experts = nn.ModuleList([nn.Linear(width, width) for _ in range(count)])

    def forward(self, x):
        weight = F.softmax(self.gate(x), dim=-1)
        top, chosen = torch.topk(weight, 2, dim=-1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            share = (top * (chosen == i)).sum(-1, keepdim=True)
            out = out + share * expert(x)
        return out


def make_experts_all_computed():
    return Experts(), [((torch.randn(6, 16),), {})]


class CountingExperts(Experts):
    def forward(self, x):
        chosen = self.gate(x).argmax(-1)
        counts = torch.bincount(chosen, minlength=4).cpu()
        order = chosen.argsort()
        return x[order] * counts.sum().to(x.device)


def make_experts_counted_on_host():
    return CountingExperts(), [((torch.randn(6, 16),), {})]


class ScaledLogits(nn.Module):
    def __init__(self):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.ones([]) * math.log(1 / 0.07))

    def forward(self, image, text):
        image, text = F.normalize(image, dim=-1), F.normalize(text, dim=-1)
        logits = self.logit_scale.exp() * image @ text.t()
        labels = torch.arange(image.shape[0], device=image.device)
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


def make_contrastive():
    return ScaledLogits(), [((torch.randn(4, 8), torch.randn(4, 8)), {})]


class WeightedLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.tensor([1.0, 2.0, 0.5])

    def forward(self, logits, labels):
        return F.cross_entropy(logits, labels, weight=self.weight.to(logits.device))


def make_class_weights_kept_plainly():
    return WeightedLoss(), [((torch.randn(4, 3), torch.tensor([0, 1, 2, 1])), {})]


def smoothed(logits, labels, smoothing=0.1):
    logp = F.log_softmax(logits, dim=-1)
    nll = -logp.gather(1, labels[:, None]).squeeze(1)
    return ((1 - smoothing) * nll - smoothing * logp.mean(-1)).mean()


def make_label_smoothing():
    return smoothed, [((torch.randn(4, 3), torch.tensor([0, 1, 2, 1])), {})]
