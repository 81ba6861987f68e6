# a float of a schedule is an argument
import torch


@torch.compile(backend="eager")
def sample(logits, temperature):
    return torch.softmax(logits / temperature, -1)


logits = torch.randn(4, 10)
for step in range(5):
    t = 1.0 - 0.1 * step
    probs = sample(logits, t)  #! recompile input
