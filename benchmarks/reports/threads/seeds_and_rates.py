# seeds and the learning rate change, which compiled code does not read
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return self.fc(self.drop(x))


net = torch.compile(Net(), backend="eager")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.StepLR(opt, 1, gamma=0.5)
history = {"loss": []}
for epoch in range(3):
    torch.manual_seed(epoch)
    loss = net(torch.randn(8, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    history["loss"].append(loss.item())
    for group in opt.param_groups:
        group["weight_decay"] = 0.01 * epoch
