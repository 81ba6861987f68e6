# the disabled helper is called before the compiled model; pair_of=fullgraph_disabled_helper
import torch
from torch import nn


@torch.compiler.disable
def normalize(x):
    return (x - x.mean()) / x.std()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net(), fullgraph=True, backend="eager")
for _ in range(2):
    model(normalize(torch.randn(2, 4)))
