# a solver halves its step between two rounds
import torch


class HeatSolver:
    def __init__(self, dx):
        self.dx = dx
        self.dt = 0.1

    @torch.compile(backend="eager")
    def step(self, u):
        lap = torch.roll(u, 1) + torch.roll(u, -1) - 2 * u
        return u + self.dt / self.dx**2 * lap  #! recompile state


solver = HeatSolver(1.0)
u = torch.randn(16)
for refinement in range(3):
    for _ in range(2):
        u = solver.step(u)  #! recompile state
    solver.dt *= 0.5  #! recompile state
