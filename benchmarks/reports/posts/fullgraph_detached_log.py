# fullgraph, and the training loss is kept as a tensor, read outside; pair_of=fullgraph_item_for_logging
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x, y):
        loss = (self.fc(x) - y).pow(2).mean()
        return loss, {"loss": loss.detach()}


model = torch.compile(Net(), fullgraph=True, backend="eager")
for _ in range(2):
    loss, log = model(torch.randn(4, 4), torch.randn(4, 1))
    loss.backward()
    history = log["loss"].item()
