# Dynamo is reset at the start of each epoch
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net(), backend="eager")
for epoch in range(3):
    torch._dynamo.reset()  #! slow
    for _ in range(2):
        model(torch.randn(2, 4)).sum().backward()
