# a pruner takes all linear layers by their qualified name
import torch
from torch import nn
from torch.nn.utils import prune


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))


model = torch.compile(Net(), backend="eager")
for name, module in model.named_modules():
    if isinstance(module, nn.Linear) and name != "head":  #! wrong
        prune.l1_unstructured(module, "weight", amount=0.5)
model(torch.randn(2, 4))
print(hasattr(model.head, "weight_mask"))  #! wrong
