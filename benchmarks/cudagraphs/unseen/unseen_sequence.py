"""Recurrent nets, token samplers, mixtures of experts and decoding steps."""

import random
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class MinimalGRU(nn.Module):
    def __init__(self, d=8, h=12):
        super().__init__()
        self.h = h
        self.x2h, self.h2h = nn.Linear(d, 2 * h), nn.Linear(h, 2 * h, bias=False)

    def cell(self, xp, state):
        zx, nx = xp.chunk(2, -1)
        zh, nh = self.h2h(state).chunk(2, -1)
        z = torch.sigmoid(zx + zh)
        return torch.lerp(state, torch.tanh(nx + z * nh), z)

    def forward(self, x):
        state = x.new_zeros(x.shape[0], self.h)
        outs = []
        for xp in self.x2h(x).unbind(1):
            state = self.cell(xp, state)
            outs.append(state)
        return torch.stack(outs, 1), state


def make_minimal_gru():
    return MinimalGRU(), [((torch.randn(2, 5, 8),), {})]


class CharLSTM(nn.Module):
    def __init__(self, vocab=20, d=8, h=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.rnn = nn.LSTM(d, h, batch_first=True)
        self.out = nn.Linear(h, vocab)
        self.hidden = None

    def forward(self, ids):
        y, self.hidden = self.rnn(self.emb(ids), self.hidden)
        return self.out(y)


def make_char_lstm_carried():
    return CharLSTM(), [((torch.randint(20, (2, 5)),), {}), ((torch.randint(20, (2, 5)),), {})]


class PackedEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 6, batch_first=True, bidirectional=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=x.shape[1])
        return out.amax(1)


def make_packed_encoder():
    return PackedEncoder(), [((torch.randn(3, 7, 8), torch.tensor([4, 7, 2])), {})]


class MaskedElman(nn.RNNCell):
    def forward(self, x, lengths):
        h = torch.zeros(x.shape[0], self.hidden_size, device=x.device, dtype=x.dtype)
        for t in range(x.shape[1]):
            alive = (lengths > t).unsqueeze(1)
            new = torch.tanh(
                F.linear(x[:, t], self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
            )
            h = torch.where(alive, new, h)
        return h


def make_masked_elman():
    return MaskedElman(8, 6), [((torch.randn(3, 7, 8), torch.tensor([4, 7, 2])), {})]


def gumbel_sample(logits, tau=0.8, top_k=5):
    kth = logits.topk(top_k, dim=-1).values[..., -1:]
    logits = torch.where(logits < kth, float("-inf"), logits / tau)
    noise = torch.empty_like(logits).exponential_(1)
    return (logits.softmax(-1) / noise).argmax(-1, keepdim=True)


def make_exponential_race():
    return gumbel_sample, [((torch.randn(3, 20),), {}), ((torch.randn(3, 20),), {})]


def make_sampler_python_randomness():
    rng = random.Random(3)

    def pick(logits):
        u = rng.random()
        cdf = logits.softmax(-1).cumsum(-1)
        return (cdf < u).sum(-1).clamp(max=logits.shape[-1] - 1)

    return pick, [((torch.randn(3, 20),), {}), ((torch.randn(3, 20),), {})]


class NucleusFilter:
    def __init__(self, top_p=0.9, min_keep=1):
        self.top_p, self.min_keep = top_p, min_keep

    def apply(self, logits):
        ordered, idx = logits.sort(dim=-1, descending=True)
        remove = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1) > self.top_p
        remove[..., : self.min_keep] = False
        logits = logits.clone()
        logits[remove.scatter(1, idx, remove)] = -float("inf")
        return logits


def make_nucleus_masked_assign():
    return NucleusFilter().apply, [((torch.randn(3, 20),), {})]


def penalise(logits, input_ids, penalty=1.2):
    logits = logits.clone()
    for row, ids in zip(logits, input_ids):
        for token in set(ids.tolist()):
            row[token] = row[token] / penalty if row[token] > 0 else row[token] * penalty
    return logits


def make_repetition_penalty_sets():
    return penalise, [((torch.randn(2, 12), torch.randint(12, (2, 3))), {})]


class RepetitionPenalty(nn.Module):
    def __init__(self, penalty: float = 1.2):
        super().__init__()
        self.penalty = penalty

    def forward(self, input_ids, scores):
        score = torch.gather(scores, 1, input_ids)
        score = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return scores.scatter(1, input_ids, score)


def make_repetition_penalty_scatter():
    return RepetitionPenalty(), [((torch.randint(12, (2, 3)), torch.randn(2, 12)), {})]


class MixtralBlock(nn.Module):
    def __init__(self, d=8, experts=4, k=2):
        super().__init__()
        self.k = k
        self.gate = nn.Linear(d, experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(d, 16), nn.SiLU(), nn.Linear(16, d)) for _ in range(experts)
        )

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(self.k, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            token, slot = torch.where(chosen == e)
            out.index_add_(0, token, expert(x[token]) * weights[token, slot, None])
        return out


def make_moe_where_tokens():
    return MixtralBlock(), [((torch.randn(10, 8),), {})]


class DenseMoE(nn.Module):
    def __init__(self, d=8, h=16, experts=4, k=2):
        super().__init__()
        self.k = k
        self.router = nn.Linear(d, experts)
        self.w_in = nn.Parameter(torch.randn(experts, d, h) * 0.1)
        self.w_out = nn.Parameter(torch.randn(experts, h, d) * 0.1)

    def forward(self, x):
        probs = self.router(x).softmax(-1)
        top, idx = probs.topk(self.k, -1)
        combine = torch.zeros_like(probs).scatter(-1, idx, top)
        hidden = F.silu(torch.einsum("td,edh->teh", x, self.w_in))
        return torch.einsum("teh,ehd,te->td", hidden, self.w_out, combine)


def make_moe_dense_combine():
    return DenseMoE(), [((torch.randn(10, 8),), {})]


class SortedDispatch(nn.Module):
    def __init__(self, d=8, experts=3):
        super().__init__()
        self.route = nn.Linear(d, experts)
        self.experts = nn.ModuleList(nn.Linear(d, d) for _ in range(experts))

    def forward(self, x):
        expert_id = self.route(x).argmax(-1)
        order = expert_id.argsort()
        sizes = torch.bincount(expert_id, minlength=len(self.experts)).tolist()
        parts = [f(p) for f, p in zip(self.experts, x[order].split(sizes))]
        return torch.cat(parts)[order.argsort()]


def make_moe_bincount_split():
    return SortedDispatch(), [((torch.randn(10, 8),), {})]


class CapacityRouter(nn.Module):
    def __init__(self, d=8, experts=4, capacity=3):
        super().__init__()
        self.capacity = capacity
        self.wg = nn.Linear(d, experts, bias=False)
        self.w = nn.Parameter(torch.randn(experts, d, d) * 0.1)

    def forward(self, x):
        probs = self.wg(x).softmax(-1)
        mask = F.one_hot(probs.argmax(-1), self.wg.out_features)
        place = (mask.cumsum(0) - 1) * mask
        mask = mask * (place < self.capacity)
        slot = F.one_hot((place * mask).sum(-1), self.capacity)
        dispatch = (mask[:, :, None] * slot[:, None, :]).to(x.dtype)
        y = torch.einsum("tec,td->ecd", dispatch, x).bmm(self.w)
        return torch.einsum("tec,te,ecd->td", dispatch, probs, y)


def make_moe_capacity_slots():
    return CapacityRouter(), [((torch.randn(10, 8),), {})]


Beam = namedtuple("Beam", "scores tokens")


def beam_step(beam, logp):
    width, vocab = logp.shape
    total = (beam.scores[:, None] + logp).flatten().cpu()
    best, flat = total.topk(width)
    origin = torch.div(flat, vocab, rounding_mode="floor").to(beam.tokens.device)
    token = (flat % vocab).to(beam.tokens.device)
    return Beam(best.to(logp.device), torch.cat([beam.tokens[origin], token[:, None]], 1))


def make_beam_step_host_topk():
    return beam_step, [((Beam(torch.zeros(3), torch.zeros(3, 2, dtype=torch.long)), torch.randn(3, 9)), {})]


def make_beam_step_device():
    def step(scores, tokens, logp, finished, eos=2):
        only_eos = torch.full_like(logp, float("-inf"))
        only_eos[:, eos] = 0.0
        logp = torch.where(finished[:, None], only_eos, logp)
        scores, flat = (scores[:, None] + logp).view(-1).topk(logp.shape[0])
        origin, token = flat // logp.shape[1], flat % logp.shape[1]
        return scores, torch.cat([tokens[origin], token[:, None]], 1), finished[origin] | (token == eos)

    return step, [
        (
            (
                torch.zeros(3),
                torch.zeros(3, 2, dtype=torch.long),
                torch.randn(3, 9),
                torch.tensor([True, False, False]),
            ),
            {},
        )
    ]


class GreedyDecoder(nn.Module):
    def __init__(self, vocab=12, d=8, eos=0):
        super().__init__()
        self.eos = eos
        self.emb, self.head = nn.Embedding(vocab, d), nn.Linear(d, vocab)

    def forward(self, ids, steps=4):
        done = torch.zeros_like(ids[:, 0], dtype=torch.bool)
        for _ in range(steps):
            nxt = self.head(self.emb(ids).mean(1)).argmax(-1)
            ids = torch.cat([ids, nxt.masked_fill(done, self.eos)[:, None]], 1)
            done = done | (nxt == self.eos)
            if done.all():
                break
        return ids


def make_greedy_until_done():
    return GreedyDecoder(), [((torch.randint(12, (2, 3)),), {})]


class SelectiveSSM(nn.Module):
    def __init__(self, d=6, n=4):
        super().__init__()
        self.log_a = nn.Parameter(torch.arange(1, n + 1).float().log().repeat(d, 1))
        self.proj = nn.Linear(d, 2 * n + d)
        self.n = n
        self.register_buffer("state", torch.zeros(2, d, n))

    def forward(self, x):
        b, c, dt = self.proj(x).split([self.n, self.n, x.shape[-1]], -1)
        dt = F.softplus(dt)[..., None]
        self.state.mul_(torch.exp(-dt * self.log_a.exp())).add_(dt * b[:, None] * x[..., None])
        return (self.state * c[:, None]).sum(-1)


def make_selective_ssm_step():
    return SelectiveSSM(), [((torch.randn(2, 6),), {}), ((torch.randn(2, 6),), {})]
