# one number of steps for all systems; pair_of=convergence_study
import torch


@torch.compile(backend="eager")
def integrate(x, v, dt, n):
    for _ in range(n):
        v = v - dt * x
        x = x + dt * v
    return x


n = 8
for amplitude in [1.0, 2.0, 4.0]:
    x0, v0 = torch.full((4,), amplitude), torch.zeros(4)
    print(integrate(x0, v0, 1.0 / n, n).shape)
