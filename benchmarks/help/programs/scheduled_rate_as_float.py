# a scheduler changes the rate of a compiled optimizer step
# thread: pytorch/pytorch#107076: make the learning rate a tensor
# help: tensor
import torch
from torch import nn, optim

model = nn.Linear(1, 1)
opt = optim.Adam(model.parameters(), lr=0.1)
scheduler = optim.lr_scheduler.ExponentialLR(opt, 0.9)


@torch.compile(backend="eager")
def update():
    opt.step()  #! break


for _ in range(4):
    model(torch.ones(1, 1)).sum().backward()
    update()
    scheduler.step()
