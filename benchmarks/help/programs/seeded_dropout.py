# the forward seeds the generator so that a second pass drops the same
# thread: pytorch/pytorch#101154: seed before the call; draw the mask once and hand it over
# help: before the | outside | hand
import torch
from torch import nn


class Reversible(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        torch.manual_seed(3)  #! break
        return nn.functional.dropout(self.fc(x), 0.5)


torch.manual_seed(0)
net = torch.compile(Reversible(), backend="eager")
print(net(torch.ones(2, 4)).shape)
