# a scheduler that waits for a plateau writes a float over a tensor rate
# thread: pytorch/pytorch#163093: fill the tensor in place of writing a float
# help: tensor
import torch
from torch import nn, optim

model = nn.Linear(1, 1)
opt = optim.SGD(model.parameters(), lr=torch.tensor(0.1))
scheduler = optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=0)


@torch.compile(backend="eager")
def update():
    opt.step()  #! break


for metric in (1.0, 1.0, 1.0, 1.0):
    model(torch.ones(1, 1)).sum().backward()
    update()
    scheduler.step(metric)
