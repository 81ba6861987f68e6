# the temperature is a buffer; pair_of=gumbel_tau_decays
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("tau", torch.tensor(1.0))

    def forward(self, x):
        return (self.fc(x) / self.tau).softmax(-1)


gate = Gate()
model = torch.compile(gate, backend="eager")
for _ in range(4):
    model(torch.randn(2, 4)).sum().backward()
    with torch.no_grad():
        gate.tau.mul_(0.9).clamp_(min=0.1)
