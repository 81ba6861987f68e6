# the number of steps grows in a convergence study
import torch


@torch.compile(backend="eager")
def integrate(x, v, dt, n):
    for _ in range(n):
        v = v - dt * x
        x = x + dt * v
    return x


x0, v0 = torch.ones(4), torch.zeros(4)
exact = torch.cos(torch.tensor(1.0)) * torch.ones(4)
for n in [4, 8, 16]:
    err = (integrate(x0, v0, 1.0 / n, n) - exact).abs().max()  #! recompile input
    print(n, round(err.item(), 2))
