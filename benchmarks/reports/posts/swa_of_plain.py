# the average is kept of the plain model, which shares its weights with the wrapper; pair_of=swa_into_plain
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


net = Net()
model = torch.compile(net, backend="eager")
swa = AveragedModel(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    model(torch.randn(4, 4)).pow(2).mean().backward()
    opt.step()
    swa.update_parameters(net)
final = Net()
final.load_state_dict(swa.module.state_dict())
