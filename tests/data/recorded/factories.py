"""What makes tensors, and of what rank, dtype and place."""
import torch
from torch import Tensor


def sizes(x: Tensor, n: int, shape: tuple[int, int]):
    a = torch.eye(n)
    b = torch.zeros(n, 2)
    c = torch.zeros((n, 2, 3))
    d = torch.zeros(size=(2, 3))
    e = torch.full((n,), 1.0)
    f = torch.full((n, n), True)
    g = torch.randint(10, (n, 3))
    h = torch.randint(0, 10, (n, 3, 4))
    i = torch.randint(low=0, high=10, size=(n,))
    j = torch.arange(n)
    k = torch.arange(0, 1, 0.1)
    m = torch.linspace(0, 1, n)
    o = torch.linspace(0, 1, steps=5)
    p = torch.empty(0)
    q = torch.ones(0, 3)
    r = torch.zeros(shape)
    s = torch.zeros(*shape)
    t = torch.zeros(x.shape)
    u = torch.zeros(x.shape[0], n, dtype=torch.int64)
    v = x.new_zeros(n, 2)
    w = x.new_full((n,), 2)
    y = x.new_empty(0)
    z = x.new_tensor([1.0, 2.0])
    return a, b, c, d, e, f, g, h, i, j, k, m, o, p, q, r, s, t, u, v, w, y, z


def literals(n: int, flag: bool):
    a = torch.tensor(1)
    b = torch.tensor(1.0)
    c = torch.tensor(True)
    d = torch.tensor([1, 2])
    e = torch.tensor([[1.0], [n]])
    f = torch.tensor([n, 0.5])
    g = torch.tensor(n, dtype=torch.float16)
    h = torch.tensor([flag, False])
    i = torch.as_tensor(n)
    j = torch.scalar_tensor(3)
    k = torch.tensor([1], device="cuda")
    return a, b, c, d, e, f, g, h, i, j, k


def likes(x: Tensor):
    a = torch.zeros_like(x)
    b = torch.zeros_like(x, dtype=torch.bool)
    c = torch.rand_like(x)
    d = torch.randint_like(x, 10)
    e = torch.empty_like(x, device="cpu")
    f = torch.full_like(x, 1)
    return a, b, c, d, e, f


def number_of_steps(x: Tensor):
    n = x.sum().int()
    a = torch.linspace(0, 1, n)
    b = torch.arange(n)
    c = torch.zeros(n)
    d = torch.linspace(x.min(), x.max(), 10)
    e = torch.full((3,), x.max())
    return a, b, c, d, e


def joined(x: Tensor, y: Tensor, rest: list[Tensor]):
    a = torch.cat([x, y])
    b = torch.stack([x, y])
    c = torch.stack(rest)
    d = torch.hstack((x, y))
    e = torch.concat([x, *rest], dim=-1)
    f = torch.cat(rest)
    g, h = torch.broadcast_tensors(x, y)
    i = torch.meshgrid(x, y)
    j = torch.cartesian_prod(x, y)
    return a, b, c, d, e, f, g, h, i, j


def shaped(x: Tensor, n: int):
    a = x.view(-1)
    b = x.view(n, -1)
    c = x.reshape(2, 3, -1)
    d = x.unsqueeze(0)
    e = x[None]
    f = x[..., 0]
    g = b[0]
    h = b[:, 0]
    i = b[0, 0]
    j = c.permute(2, 0, 1)
    k = c.transpose(0, 1)
    m = b.t()
    o = c.flatten(1)
    p = c.sum(0)
    q = c.sum((0, 1), keepdim=True)
    r = c.mean(-1, keepdim=True)
    s = c.squeeze(0)
    t = b.expand(4, n, 2)
    u = b.repeat(2, 1, 1)
    v, w = c.max(dim=1)
    y = c.argmax()
    z = c.chunk(2)
    first, second = b.split(3)
    parts = c.unbind(0)
    return a, b, c, d, e, f, g, h, i, j, k, m, o, p, q, r, s, t, u, v, w, y, z, first, second, parts


def written(x: Tensor, y: Tensor, out: Tensor):
    torch.cat([x, y], out=out)
    torch.concat([x, y], out=out)
    torch.stack([x, y], out=out)
    torch.vstack([x, y], out=out)
    torch.add(x, y, out=out)
    x.copy_(y)
    x[0] = y[0]
    x.data.mul_(2)
    y.zero_()
    return x.add_(1)


def of_kinds(x: Tensor, mask: Tensor):
    a = x > 0
    b = a & mask.bool()
    c = ~a
    d = a.sum()
    e = x.long()
    f = e + 1
    g = e / 2
    h = e // 2
    i = x.half() * 2
    j = x.double() + x.float()
    k = x.to(torch.int32)
    m = x.to("cuda")
    o = x.to(mask)
    p = x.type(torch.bool)
    q = torch.where(a, x, 0)
    r = x.masked_fill(a, 0)
    s = x[a]
    t = torch.nonzero(a)
    u = x.isnan()
    v = x.abs().max()
    w = torch.complex(x, x)
    y = w.real
    return b, c, d, f, g, h, i, j, k, m, o, p, q, r, s, t, u, v, y
