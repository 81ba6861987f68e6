# a compiled closure reads a constant of the function around it; pair_of=closure_counter
import torch


def make_step(weight, warm):
    seen = 0

    @torch.compile(backend="eager")
    def apply(grad):
        return weight - 0.1 * warm * grad

    def run(grad):
        nonlocal seen
        out = apply(grad)
        seen += 1
        return out

    return run


run = make_step(torch.zeros(4), 0.5)
for _ in range(4):
    run(torch.randn(4))
