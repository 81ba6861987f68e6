# other weights are put into a compiled model for one call
import torch
from torch import nn
from torch.func import functional_call


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1, bias=False)

    def forward(self, x):
        return self.fc(x)


net = Net()
model = torch.compile(net, backend="eager")
zeros = {k: torch.zeros_like(v) for k, v in net.named_parameters()}
x = torch.ones(1, 2)
model(x)
out = functional_call(model, zeros, (x,))  #! recompile state
print(out.sum().item())
