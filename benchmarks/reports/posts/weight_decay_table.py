# a table of weight decay is asked by the names of parameters
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        return self.norm(self.body(x))


DECAY = {"body.weight": 0.1, "body.bias": 0.0, "norm.weight": 0.0, "norm.bias": 0.0}
model = torch.compile(Net(), backend="eager")
groups = [{"params": [p], "weight_decay": DECAY[n]} for n, p in model.named_parameters()]  #! error
torch.optim.AdamW(groups)
model(torch.randn(2, 4))
