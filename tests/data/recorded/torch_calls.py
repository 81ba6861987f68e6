"""Functions and methods of torch, modules and their containers, each called in the ways that matter."""

import logging
from collections import OrderedDict

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

logger = logging.getLogger(__name__)


def reduced(x: Tensor, y: Tensor, n: int, dims: tuple, k: Tensor):
    m = torch.zeros(3, 4)
    i = torch.zeros(2, dtype=torch.int64)
    s = torch.tensor(3)
    a = m.sum(dims)
    b = m.sum((0, 1))
    c = m.sum(0, keepdim=True)
    d = m.mean(dim=1)
    e = m.max()
    f = m.max(0)
    g = m.max(i)
    h = m.max(s)
    j = torch.max(m, other=i)
    o = torch.max(m, dim=1)
    p = m.max(m)
    q = m.median(dim=0).values
    r = m.cummax(0)
    t = m.kthvalue(2, 0)
    u = m.eq(i)
    v = x.eq(m)
    w = m.isnan()
    z = m.any(0)
    aa = m.argmax(1)
    ab = m.view(12)
    ac = m.view((3, 4))
    ad = m.view(dims)
    ae = m.view(torch.int32)
    af = m.view(-1, n)
    ag = m.reshape([3, 2, 2])
    ah = m.expand(2, 3, 4)
    ai = m.flatten()
    aj = m.flatten(1)
    ak = m.select(0, 1)
    al = x.select(0, 1)
    am = torch.dot(i, i)
    an = torch.inner(m, m)
    ao = m.as_strided((2,), (1,))
    ap = torch.where(m > 0, 1.0, 2.0)
    aq = torch.where(m > 0, 1, 2.0)
    ar = m.where(m > 0, 0)
    at = torch.where(m > 0, m, x)
    au = torch.where(m > 0)
    av = m.nonzero()
    aw = m.unbind()
    ax = m.split(2)
    ay = m.t()
    az = m.transpose(0, 1).view(-1)
    ba = m.transpose(0, 1).view((12,))
    bb = m.transpose(0, 1).view(dims)
    bc = m.transpose(0, 1).contiguous() @ m
    bd = torch.matmul(m.T.contiguous(), m)
    be = x.contiguous().matmul(y)
    bf = m.unsqueeze(0).squeeze()
    bg = m.new(3)
    bh = m.new()
    bi = m.tolist()
    bj = i.tolist()
    bk = s.tolist()
    bl = x.tolist()
    bm = m.is_contiguous()
    bn = m.equal(m)
    bo = m.grad_fn
    bp = m.dim() + m.numel() + m.size(0)
    bq = m.data_ptr()
    br = m.is_floating_point()
    bs = m.to(y)
    bt = m.type(torch.int32)
    bu = m.to("cuda", torch.float16)
    bv = torch.stack([m, m])
    bw = torch.cat([m, x])
    bx = torch.cat(list(y))
    by = m.pow(2)
    bz = torch.masked_select(m, m > 0)
    ca = torch.einsum("ij,jk->ik", m, m)
    cb = F.one_hot(i)
    cc = F.softmax(m, dim=1)
    cd = torch.topk(m, 2)
    ce = m.sort()
    cf = torch.empty_like(m, requires_grad=True)
    cg = torch.zeros(3, requires_grad=True)
    ch = torch.zeros(3, requires_grad=False)
    return a, b, c, d, e, f, g, h, j, o, p, q, r, t, u, v, w, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al


class Switches(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3))
        self.other = nn.Parameter(data=torch.empty(2, 2), requires_grad=False)
        self.third = nn.Parameter()
        self.held = nn.Buffer(torch.zeros(3, dtype=torch.int64))
        self.register_buffer("table", torch.zeros(3))
        self.register_buffer("nothing", None)
        self.register_parameter("bias", None)
        self.register_parameter(name="named", param=self.weight)
        self.add_module("child", nn.Linear(3, 3))
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.ReLU()])
        self.layers.append(nn.Tanh())
        self.layers.extend([nn.Tanh()])
        self.layers.insert(0, nn.Tanh())
        self.empty = nn.ModuleList()
        for _ in range(3):
            self.empty.append(nn.Linear(3, 3))
        self.named_layers = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.ReLU()})
        self.named_layers["c"] = nn.Tanh()
        self.chain = nn.Sequential(OrderedDict([("a", nn.Linear(3, 3))]))
        self.other_chain = nn.Sequential({"a": nn.Linear(3, 3)})
        self.plain_chain = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.star_chain = nn.Sequential(*[nn.Linear(3, 3) for _ in range(3)])
        self.parameters_of = nn.ParameterList([nn.Parameter(torch.zeros(3))])
        self.dict_of = nn.ParameterDict({"a": nn.Parameter(torch.zeros(3))})
        self.rnn = nn.LSTM(3, 3)
        self.rate = 0.5

    def forward(self, x: Tensor, n: int, key: str, flag: bool):
        self.weight.requires_grad_()
        self.weight.requires_grad_(False)
        x.requires_grad_()
        x.requires_grad_(False)
        x.requires_grad_(flag)
        y = self.child(x)
        y.requires_grad_()
        y.detach().requires_grad_()
        z = torch.zeros(3, requires_grad=True)
        z.requires_grad_()
        w = (x + 1).requires_grad_()
        with torch.no_grad():
            self.child(x).requires_grad_()
        self.child.requires_grad_(False)
        self.child.requires_grad_()
        self.child.requires_grad_(flag)
        self.requires_grad_(False)
        self.child.to(torch.float16)
        self.child.to(x.device)
        self.child.cuda()
        self.half()
        self.child.eval()
        self.train()
        a = self.layers[0](x)
        b = self.layers[n](x)
        c = self.layers[-1](x)
        d = self.layers[:1](x)
        e = self.named_layers["a"](x)
        f = self.named_layers[key](x)
        for g in self.layers:
            x = g(x)
        for h in self.named_layers:
            x = self.named_layers[h](x)
        for i, j in self.named_layers.items():
            x = j(x)
        for k in self.named_layers.values():
            x = k(x)
        for m in self.named_layers.keys():
            x = x + len(m)
        for o in self.children():
            x = o(x)
        for p, q in self.named_parameters():
            x = x + q
        for r in self.layers.parameters():
            x = x + r
        s = self.chain(x)
        t = self.other_chain(x)
        u = self.plain_chain(x)
        v = self.star_chain(x)
        aa = self.plain_chain[0].weight
        ab = self.child.training
        ac = self.child.in_features
        ad = getattr(self.plain_chain, "0")
        ae = self.rnn(x)
        af = self.rnn.hidden_size
        ag = self.held + self.table
        ah = self.nothing
        ai = self.bias
        aj = self.parameters_of[0] + self.dict_of["a"]
        ak = self.__call__(x)
        al = self.third + self.named
        am = nn.Parameter(x)
        an = nn.Linear(3, 3)(x)
        ao = nn.Parameter(torch.zeros(3))
        ap = self.missing
        aq = super().forward(x)
        ar = F.dropout(x, self.rate, self.training)
        return a, b, c, d, e, f, s, t, u, v, w, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al, am, an, ao, ap, aq, ar

    def moved(self, x: Tensor, n: int, cpu: Tensor):
        a = x.cpu()
        b = a.cuda()
        c = x.to("cpu").to("cuda")
        d = torch.zeros(3).cuda()
        e = torch.zeros(3, device=x.device)
        f = torch.zeros(3, device=torch.device("cuda"))
        g = torch.tensor([1, 2]).to(x.device)
        h = x.to("cuda:0")
        i = x.cuda(n)
        j = x.to(device="cpu", non_blocking=True)
        k = x.numpy()
        m = torch.from_numpy(k).cuda()
        o = torch.zeros(3) + self.weight
        p = torch.zeros(3) + torch.zeros(3, device="cuda")
        q = torch.cat([torch.zeros(3), torch.zeros(3, device="cuda")])
        r = x.new_zeros(3) + x
        s = torch.ones(3, device=None)
        x.data.add_(1)
        self.weight.data.mul_(2)
        self.weight.data = x
        x.expand(3, 3).add_(1)
        x.expand(3, 3)[0] = 1
        x.t_()
        x.resize_(3)
        x.set_(cpu)
        x.unsqueeze_(0)
        return a, b, c, d, e, f, g, h, i, j, k, m, o, p, q, r, s


def containers_of_the_library(x: Tensor, d: dict, s: set, xs: list, key: str, many: set[int], *rest, **named):
    a = d.copy()
    b = s.union({1})
    c = {1, 2}.difference(many)
    e = xs.copy()
    f = xs.index(x)
    g = [x, x].index(x)
    h = [1, 2].count(1)
    i = rest[0]
    j = named["a"]
    k = named.get("b")
    m = named.pop("c", None)
    o = named.pop(key)
    p = rest.count(x)
    q = d.setdefault("a", x)
    r = {"a": x}.update({"b": x})
    t = {"a": x}.items()
    u = d.get("a", 3)
    v = d.get("a", x)
    w = d.get(key)
    xs.sort()
    xs.reverse()
    xs.remove(x)
    xs.extend([x])
    xs.insert(0, x)
    xs.clear()
    many.add(3)
    many.discard(x)
    y = {"a": 1} | d
    z = dict(named)
    aa = list(rest)
    ab = tuple(xs)
    ac = set(xs)
    ad = "|".join({"a": 1, "b": 2})
    ae = "ab" + key.join(["a"])
    af = frozenset([1])
    return a, b, c, e, f, g, h, i, j, k, m, o, p, q, r, t, u, v, w, y, z, aa, ab, ac, ad, ae, af


def of_other_libraries(x: Tensor, arr: np.ndarray, n: int):
    logger.info("a %s", x)
    logger.custom("a")
    logger.setLevel(3)
    logger.warning(x.sum())
    logging.warning("a")
    print(x)
    a = np.asarray(x)
    b = np.dot(arr, arr)
    c = np.random.default_rng()
    d = c.normal(3)
    with torch.autocast("cuda"):
        e = x @ x
    with torch.cuda.amp.autocast():
        e = x @ x
    with torch.set_grad_enabled(n > 1):
        f = x + 1
    with torch.profiler.record_function("a"):
        g = x
    h = torch.func.grad(lambda v: v.sum())(x)
    i = torch.func.grad_and_value(lambda v: v.sum())(x)
    j = torch.func.vmap(lambda v: v * 2)(x)
    k = torch.func.grad(n)
    m = torch.vmap(containers_of_the_library)
    o = torch.cond(x.sum() > 0, lambda v: v, lambda v: -v, (x,))
    p = torch.distributions.Normal(0, 1).sample()
    q = torch.Generator().manual_seed(3)
    r = torch.finfo(x.dtype).max
    s = torch.iinfo(torch.int32).min
    t = torch.device("cuda").type
    u = torch.Size([1, 2])
    v = torch.allclose(x, x)
    torch.testing.assert_close(x, x)
    torch.testing.assert_close(n, 3)
    torch._assert(n > 2, "a")
    torch._assert(x.sum() > 2, "a")
    torch._check(n > 2)
    torch.manual_seed(3)
    torch.cuda.synchronize()
    handle = nn.Linear(3, 3).register_forward_hook(lambda *a: None)
    handle.remove()
    return a, b, d, e, f, g, h, i, j, k, m, o, p, q, r, s, t, u, v


class Failed(ValueError):
    def __init__(self, text):
        super().__init__(text)
        self.text = text


class Doubled(torch.autograd.Function):
    @classmethod
    def forward(cls, ctx, x):
        ctx.mark_dirty(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x / 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        return grad

    @staticmethod
    def jvp(ctx, grad):
        return grad


class Hollow(torch.autograd.Function):
    pass


def functions(x: Tensor):
    a = Doubled.apply(x)
    b = Halved.apply(x)
    c = Hollow.apply(x)
    d = Halved.apply(x=x)
    if x.sum() > 0:
        raise Failed("a")
    return a, b, c, d
