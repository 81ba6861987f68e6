# the number of clusters is swept
import torch


@torch.compile(backend="eager")
def assign(x, centers):
    return torch.cdist(x, centers).argmin(1)


def kmeans(x, k, iters=2):
    centers = x[:k].clone()
    for _ in range(iters):
        label = assign(x, centers)  #! recompile input
        centers = torch.stack([x[label == j].sum(0) for j in range(k)])
    return centers


points = torch.randn(20, 2)
inertia = {k: kmeans(points, k) for k in range(2, 5)}  #! recompile input
