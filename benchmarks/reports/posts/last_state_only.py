# one state is kept in a buffer; pair_of=history_of_states
import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("past", torch.zeros(2, 4))

    def forward(self, x):
        h = self.fc(x) + self.past
        self.past.copy_(h.detach())
        return h


model = torch.compile(Memory(), backend="eager")
for _ in range(4):
    model(torch.randn(2, 4))
