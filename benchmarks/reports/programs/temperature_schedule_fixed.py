# the temperature is a tensor; pair_of=temperature_schedule
import torch


@torch.compile(backend="eager")
def sample(logits, temperature):
    return torch.softmax(logits / temperature, -1)


logits = torch.randn(4, 10)
for step in range(5):
    t = torch.tensor(1.0 - 0.1 * step)
    probs = sample(logits, t)
