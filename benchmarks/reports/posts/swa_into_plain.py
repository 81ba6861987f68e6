# the averaged weights of a compiled model are loaded into a plain one
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net(), backend="eager")
swa = AveragedModel(model)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    model(torch.randn(4, 4)).pow(2).mean().backward()
    opt.step()
    swa.update_parameters(model)
final = Net()
final.load_state_dict(swa.module.state_dict())  #! error
