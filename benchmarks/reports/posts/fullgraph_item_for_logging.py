# fullgraph, and the training loss is read by item inside
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)
        self.log = {}

    def forward(self, x, y):
        loss = (self.fc(x) - y).pow(2).mean()
        self.log["loss"] = loss.item()  #! recompile state
        return loss


model = torch.compile(Net(), fullgraph=True, backend="eager")
for _ in range(2):
    model(torch.randn(4, 4), torch.randn(4, 1)).backward()
