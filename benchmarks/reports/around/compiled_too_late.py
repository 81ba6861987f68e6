# the model is compiled when all is done
import torch
from torch import nn

net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(2, 4)).square().mean()
    loss.backward()
    opt.step()
net = torch.compile(net, backend="eager")  #! slow
print(sorted(net.state_dict())[0].endswith("bias"))
