# the optimizer of a project keeps its step count as an int
# thread: Nerogar/OneTrainer#1523: keep the step as a tensor
# help: tensor
import torch

state = {"step": 0}


@torch.compile(backend="eager")
def adam_like(p, g):
    state["step"] += 1
    bias = 1 - 0.9 ** state["step"]  #! recompile state
    p.sub_(g / bias)


p = torch.ones(3)
for _ in range(4):
    adam_like(p, torch.ones(3))  #! recompile state
print(p)
