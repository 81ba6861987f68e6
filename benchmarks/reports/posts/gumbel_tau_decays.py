# the temperature decays by a factor in every step
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.tau = 1.0

    def forward(self, x):
        return (self.fc(x) / self.tau).softmax(-1)  #! recompile state


gate = Gate()
model = torch.compile(gate, backend="eager")
for _ in range(4):
    model(torch.randn(2, 4)).sum().backward()
    gate.tau = max(0.1, gate.tau * 0.9)  #! recompile state
