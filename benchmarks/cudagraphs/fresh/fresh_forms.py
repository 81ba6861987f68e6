"""Short forms of attention, sequences, state, training and vision, named by kind and number."""


import math, random
from typing import NamedTuple, Optional
import numpy as np
import torch
from torch import nn, Tensor
from torch.nn import functional as F
class KVCache(nn.Module):
    def __init__(self, b=1, h=2, n=8, d=4):
        super().__init__()
        self.register_buffer("k", torch.zeros(b, h, n, d))
        self.register_buffer("v", torch.zeros(b, h, n, d))
    def update(self, pos, k, v):
        self.k[:, :, pos] = k
        self.v[:, :, pos] = v
        return self.k, self.v
class H01(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = KVCache(); self.pos = 0
    def forward(self, q, k, v):
        kk, vv = self.cache.update(torch.arange(self.pos, self.pos + k.shape[2], device=k.device), k, v)
        self.pos = self.pos + k.shape[2]
        return F.scaled_dot_product_attention(q, kk, vv)
def make_H01():
    return H01(), [((torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4),), {})]
class DictCache:
    def __init__(self): self.layers = {}
    def update(self, i, k, v):
        if i not in self.layers:
            self.layers[i] = (k, v)
        else:
            a, b = self.layers[i]
            self.layers[i] = (torch.cat([a, k], 2), torch.cat([b, v], 2))
        return self.layers[i]
class H02(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4); self.cache = DictCache()
    def forward(self, q, k, v):
        k, v = self.cache.update(0, self.proj(k), self.proj(v))
        return F.scaled_dot_product_attention(q, k[:, :, -2:], v[:, :, -2:])
def make_H02():
    return H02(), [((torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4),), {})]
def h03(q, k, v, cache: Optional[dict] = None):
    if cache is not None:
        cache["k"] = torch.cat([cache["k"], k], 2)[:, :, -4:]
        k = cache["k"]
        v = torch.cat([v, v], 2)[:, :, : k.shape[2]]
    return F.scaled_dot_product_attention(q, k, v[:, :, :k.shape[2]] if v.shape[2] >= k.shape[2] else F.pad(v, (0, 0, 0, k.shape[2] - v.shape[2])))
def make_h03():
    return h03, [((torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), {"k": torch.randn(1, 2, 2, 4)},), {})]
def h04(q, k, v, past: list):
    past[0] = k * 2
    return F.scaled_dot_product_attention(q, past[0], v)
def make_h04():
    return h04, [((torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), [torch.randn(1, 2, 2, 4)],), {})]
class H05(nn.Module):
    def __init__(self):
        super().__init__()
        self.slopes = torch.tensor([2 ** (-i) for i in range(1, 3)]).view(1, 2, 1, 1)
    def forward(self, q, k, v):
        n = q.shape[2]
        d = torch.arange(n)[:, None] - torch.arange(n)[None]
        bias = (self.slopes * d).to(q.device)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
def make_H05():
    return H05(), [((torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4),), {})]
class H06(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(16, 2)
    def forward(self, q, k, v):
        n = q.shape[2]
        d = (torch.arange(n)[:, None] - torch.arange(n)[None]).abs().clamp(max=15)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=self.table(d.to(q.device)).permute(2, 0, 1))
def make_H06():
    return H06(), [((torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4),), {})]
class H07(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("i", torch.zeros((), dtype=torch.long))
        self.register_buffer("buf", torch.zeros(8, 4))
    def forward(self, q, k, v):
        self.buf.index_copy_(0, self.i[None], k[0, 0, :1])
        self.i.add_(1)
        return self.buf.sum() + q
def make_H07():
    return H07(), [((torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4),), {})]
class H08(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.sqrt(torch.tensor(4.0))
    def forward(self, q, k, v):
        return (q @ k.transpose(-1, -2) / self.scale).softmax(-1) @ v
def make_H08():
    return H08(), [((torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4),), {})]
class H09(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.sqrt(torch.FloatTensor([4.0]))
    def forward(self, q, k, v):
        return (q @ k.transpose(-1, -2) / self.scale.to(q.device)).softmax(-1) @ v
def make_H09():
    return H09(), [((torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4), torch.randn(1, 2, 2, 4),), {})]
class State(NamedTuple):
    h: Tensor
    c: Tensor
def s01(x, state: State):
    h = torch.tanh(x + state.h)
    return h, State(h, state.c + 1)
def make_s01():
    return s01, [((torch.randn(3, 4), State(torch.randn(3, 4), torch.randn(3, 4)),), {})]
def s02(x, state: State):
    state.h.mul_(0.9).add_(x)
    return state.h * 2
def make_s02():
    return s02, [((torch.randn(3, 4), State(torch.randn(3, 4), torch.randn(3, 4)),), {})]
class S03(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(8, 4)
    def init_state(self, x): return torch.zeros(x.shape[0], 4)
    def forward(self, xs):
        h = self.init_state(xs[0]).to(xs.device)
        out = []
        for x in xs.unbind(0):
            h = torch.tanh(self.cell(torch.cat([x, h], -1)))
            out.append(h)
        return torch.stack(out)
def make_S03():
    return S03(), [((torch.randn(3, 2, 4),), {})]
class S04(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(8, 4); self.h = None
    def reset(self): self.h = None
    def forward(self, x):
        h = x.new_zeros(x.shape) if self.h is None else self.h
        self.h = torch.tanh(self.cell(torch.cat([x, h], -1)))
        return self.h
def make_S04():
    return S04(), [((torch.randn(3, 4),), {})]
class S05(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(8, 4); self.state = {"h": None}
    def forward(self, x):
        h = self.state["h"]
        if h is None: h = torch.zeros_like(x)
        h = torch.tanh(self.cell(torch.cat([x, h], -1)))
        self.state["h"] = h
        return h + 1
def make_S05():
    return S05(), [((torch.randn(3, 4),), {})]
class S06(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = []
    def forward(self, x):
        self.window.append(x)
        if len(self.window) > 3: self.window.pop(0)
        return torch.stack(self.window).mean(0)
def make_S06():
    return S06(), [((torch.randn(3, 4),), {})]
class S07(nn.Module):
    def __init__(self):
        super().__init__()
        self.momentum = 0.9
        self.register_buffer("avg", torch.zeros(4))
    @torch.no_grad()
    def _update(self, x): self.avg.lerp_(x.mean(0), 1 - self.momentum)
    def forward(self, x):
        self._update(x)
        return x - self.avg
def make_S07():
    return S07(), [((torch.randn(3, 4),), {})]
class S08(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(4)
    def forward(self, x): return self.bn(x)
def make_S08():
    return S08(), [((torch.randn(3, 4),), {})]
class S09(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("queue", torch.randn(8, 4)); self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))
    def forward(self, x):
        p = int(self.ptr)
        self.queue[p:p + x.shape[0]] = x
        self.ptr[0] = (p + x.shape[0]) % 6
        return x @ self.queue.T
def make_S09():
    return S09(), [((torch.randn(3, 4),), {})]
class S10(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("queue", torch.randn(9, 4))
    def forward(self, x):
        out = x @ self.queue.clone().T
        self.queue = torch.cat([x.detach(), self.queue[:-3]])
        return out
def make_S10():
    return S10(), [((torch.randn(3, 4),), {})]
def t01(p, g, state):
    state["step"] += 1
    state["m"].lerp_(g, 0.1)
    p.addcdiv_(state["m"], g.abs() + 1)
def make_t01():
    return t01, [((torch.randn(3, 4), torch.randn(3, 4), {"step": torch.tensor(0), "m": torch.randn(3, 4)},), {})]
def t02(p, g, step):
    bc = 1 - 0.9 ** step
    return p - g / bc
def make_t02():
    return t02, [((torch.randn(3, 4), torch.randn(3, 4), 3,), {})]
def t03(p, g, step: torch.Tensor):
    bc = 1 - 0.9 ** step
    return p - g / bc
def make_t03():
    return t03, [((torch.randn(3, 4), torch.randn(3, 4), torch.tensor(3.0),), {})]
def t04(p, g, lr):
    return p - lr * g
def make_t04():
    return t04, [((torch.randn(3, 4), torch.randn(3, 4), 0.1,), {})]
def t05(p, g):
    n = g.norm()
    if n > 1: g = g / n
    return p - g
def make_t05():
    return t05, [((torch.randn(3, 4), torch.randn(3, 4),), {})]
def t06(p, g):
    n = g.norm(); coef = torch.clamp(1.0 / (n + 1e-6), max=1.0)
    g.mul_(coef)
    return p - g
def make_t06():
    return t06, [((torch.randn(3, 4), torch.randn(3, 4),), {})]
def t07(model_out, target, weights={"l1": 1.0, "l2": 0.5}):
    return weights["l1"] * F.l1_loss(model_out, target) + weights["l2"] * F.mse_loss(model_out, target)
def make_t07():
    return t07, [((torch.randn(3, 4), torch.randn(3, 4),), {})]
def t08(model_out, target):
    losses = {"l1": F.l1_loss(model_out, target), "l2": F.mse_loss(model_out, target)}
    return sum(losses.values()), {k: v.item() for k, v in losses.items()}
def make_t08():
    return t08, [((torch.randn(3, 4), torch.randn(3, 4),), {})]
def t09(model_out, target):
    losses = {"l1": F.l1_loss(model_out, target), "l2": F.mse_loss(model_out, target)}
    return sum(losses.values()), {k: v.detach() for k, v in losses.items()}
def make_t09():
    return t09, [((torch.randn(3, 4), torch.randn(3, 4),), {})]
class T10(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.ones(4)); self.logs = {}
    def forward(self, a, b):
        l = ((a - b) ** 2 * self.w).mean()
        self.logs["loss"] = l.detach()
        return l
def make_T10():
    return T10(), [((torch.randn(3, 4), torch.randn(3, 4),), {})]
class T11(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(4); self.total = 0.0
    def forward(self, a, b):
        l = ((a - b) ** 2).mean()
        self.total = self.total + l.detach()
        return l
def make_T11():
    return T11(), [((torch.randn(3, 4), torch.randn(3, 4),), {})]
class T12(nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = []
    def forward(self, a, b):
        l = ((a - b) ** 2).mean(); self.losses.append(l)
        return sum(self.losses) / len(self.losses)
def make_T12():
    return T12(), [((torch.randn(3, 4), torch.randn(3, 4),), {})]
def t13(a, b):
    ema = {"x": torch.zeros(3, 4)}
    ema["x"] = ema["x"].to(a.device) * 0.9 + a
    return ema["x"] + b
def make_t13():
    return t13, [((torch.randn(3, 4), torch.randn(3, 4),), {})]
def v01(img):
    ys = torch.linspace(-1, 1, img.shape[-2]); xs = torch.linspace(-1, 1, img.shape[-1])
    g = torch.stack(torch.meshgrid(xs, ys, indexing="xy"), -1)[None]
    return F.grid_sample(img, g.to(img), align_corners=False)
def make_v01():
    return v01, [((torch.rand(2, 3, 8, 8),), {})]
def v02(img):
    theta = torch.tensor([[1.0, 0, 0.1], [0, 1.0, 0]])
    return F.grid_sample(img, F.affine_grid(theta[None].to(img.device), img.shape, align_corners=False), align_corners=False)
def make_v02():
    return v02, [((torch.rand(2, 3, 8, 8),), {})]
def v03(img):
    a = random.uniform(-0.5, 0.5)
    theta = torch.tensor([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0]], device=img.device)
    return F.grid_sample(img, F.affine_grid(theta[None], img.shape, align_corners=False), align_corners=False)
def make_v03():
    return v03, [((torch.rand(2, 3, 8, 8),), {})]
def v04(img):
    k = torch.tensor([[1.0, 2, 1], [0, 0, 0], [-1, -2, -1]])
    k = k.expand(3, 1, 3, 3).to(img.device, img.dtype)
    return F.conv2d(img, k, groups=3)
def make_v04():
    return v04, [((torch.rand(2, 3, 8, 8),), {})]
def v05(img):
    x = torch.arange(3).float() - 1
    g = torch.exp(-x ** 2 / 2); g = g / g.sum()
    k = (g[:, None] * g[None]).expand(3, 1, 3, 3)
    return F.conv2d(img, k.to(img), groups=3)
def make_v05():
    return v05, [((torch.rand(2, 3, 8, 8),), {})]
def v06(img):
    top = random.randint(0, 2); left = random.randint(0, 2)
    return img[..., top:top + 4, left:left + 4]
def make_v06():
    return v06, [((torch.rand(2, 3, 8, 8),), {})]
def v07(img):
    if torch.rand(1) < 0.5: img = img.flip(-1)
    return img * 2
def make_v07():
    return v07, [((torch.rand(2, 3, 8, 8),), {})]
def v08(img):
    m = (torch.rand(img.shape[0]) < 0.5).to(img.device)
    return torch.where(m[:, None, None, None], img.flip(-1), img)
def make_v08():
    return v08, [((torch.rand(2, 3, 8, 8),), {})]
def v09(img):
    img.sub_(0.5).div_(0.5)
    return img.mean()
def make_v09():
    return v09, [((torch.rand(2, 3, 8, 8),), {})]
def v10(boxes, scores):
    keep = scores > 0.5
    return boxes * keep[:, None]
def make_v10():
    return v10, [((torch.rand(5, 4), torch.rand(5),), {})]
def v11(boxes, scores):
    _, order = scores.sort(descending=True)
    return boxes[order]
def make_v11():
    return v11, [((torch.rand(5, 4), torch.rand(5),), {})]
def v12(boxes, scores):
    return boxes[scores.topk(2).indices.cpu()]
def make_v12():
    return v12, [((torch.rand(5, 4), torch.rand(5),), {})]
def v13(boxes, size):
    w, h = size
    scale = torch.tensor([w, h, w, h])
    return boxes * scale.to(boxes.device)
def make_v13():
    return v13, [((torch.rand(5, 4), (3, 4),), {})]
def v14(boxes, sizes):
    return boxes * torch.stack([sizes[0], sizes[1], sizes[0], sizes[1]], -1)
def make_v14():
    return v14, [((torch.rand(5, 4), torch.tensor([3, 4]),), {})]
def v15(img, mean=(0.5, 0.5, 0.5)):
    m = torch.as_tensor(mean, device=img.device).view(-1, 1, 1)
    return img - m
def make_v15():
    return v15, [((torch.rand(2, 3, 8, 8),), {})]
def v16(points, intrinsics):
    K = torch.eye(3); K[0, 0] = 2.0
    return points @ K.to(points.device) + intrinsics
def make_v16():
    return v16, [((torch.rand(5, 3), torch.rand(3),), {})]
def v17(points, intrinsics):
    inv = torch.inverse(intrinsics.cpu()).to(points.device)
    return points @ inv
def make_v17():
    return v17, [((torch.rand(5, 3), torch.eye(3),), {})]
def v18(points, idx):
    return points[idx.long()]
def make_v18():
    return v18, [((torch.rand(5, 3), torch.tensor([0, 2]),), {})]
def v19(pred, gt):
    psnr = -10 * torch.log10(F.mse_loss(pred, gt))
    return psnr, psnr.cpu().numpy()
def make_v19():
    return v19, [((torch.randn(3, 4), torch.randn(3, 4),), {})]
class V20(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = torch.hann_window(16)
    def forward(self, x):
        return torch.stft(x, 16, window=self.window.to(x.device), return_complex=True).abs()
def make_V20():
    return V20(), [((torch.randn(2, 64),), {})]
class V21(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(16))
    def forward(self, x):
        return torch.stft(x, 16, window=self.window, return_complex=True).abs()
def make_V21():
    return V21(), [((torch.randn(2, 64),), {})]
class V22(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.codebook = torch.randn(5, 4)
    def forward(self, x):
        d = torch.cdist(self.proj(x), self.codebook.to(x.device))
        return self.codebook.to(x.device)[d.argmin(-1)]
def make_V22():
    return V22(), [((torch.randn(3, 4),), {})]
class V23(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = torch.linspace(0, 1, 4)
        self.net = nn.Linear(4, 4)
    def forward(self, x):
        for t in self.steps:
            x = x + 0.1 * self.net(x) * t
        return x
def make_V23():
    return V23(), [((torch.randn(3, 4),), {})]
class V24(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = torch.linspace(0, 1, 4).tolist()
        self.net = nn.Linear(4, 4)
    def forward(self, x):
        for t in self.steps:
            x = x + 0.1 * self.net(x) * t
        return x
def make_V24():
    return V24(), [((torch.randn(3, 4),), {})]
class V25(nn.Module):
    def __init__(self):
        super().__init__()
        self.sigmas = torch.linspace(1, 0.1, 4)
        self.net = nn.Linear(4, 4)
    def forward(self, x, i: int):
        sigma = self.sigmas[i].to(x.device)
        return x - sigma * self.net(x)
def make_V25():
    return V25(), [((torch.randn(3, 4), 1,), {})]
def v26(x):
    with torch.device("cuda"):
        y = torch.arange(4).float()
    return x * y
def make_v26():
    return v26, [((torch.randn(3, 4),), {})]
def v27(x):
    y = torch.zeros(4, device="cuda:0")
    return x + y
def make_v27():
    return v27, [((torch.randn(3, 4),), {})]
def v28(x, gen):
    return x + torch.randn(x.shape, generator=gen, device=x.device)
def make_v28():
    return v28, [((torch.randn(3, 4), None,), {})]
def v29(x):
    return torch.autograd.functional.jvp(lambda z: z.sin(), x, torch.ones_like(x))[1]
def make_v29():
    return v29, [((torch.randn(3, 4),), {})]
def v30(x):
    return torch.func.vmap(lambda r: r.sum() * 2)(x)
def make_v30():
    return v30, [((torch.randn(3, 4),), {})]
