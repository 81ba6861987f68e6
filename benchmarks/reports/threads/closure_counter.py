# a compiled closure reads a counter of the function around it
import torch


def make_step(weight):
    step = 0

    @torch.compile(backend="eager")
    def apply(grad):
        warm = min(1.0, (step + 1) / 4)  #! recompile state
        return weight - 0.1 * warm * grad

    def run(grad):
        nonlocal step
        out = apply(grad)
        step += 1  #! recompile state
        return out

    return run


run = make_step(torch.zeros(4))
for _ in range(4):
    run(torch.randn(4))
