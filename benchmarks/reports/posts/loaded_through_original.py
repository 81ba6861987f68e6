# weights are loaded into the module inside the wrapper; pair_of=strict_false_hides
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)

    def forward(self, x):
        return self.fc(x)


state = {"fc.weight": torch.ones(1, 2), "fc.bias": torch.zeros(1)}
model = torch.compile(Net(), backend="eager")
getattr(model, "_orig_mod", model).load_state_dict(state)
print(model(torch.ones(1, 2)).item())
