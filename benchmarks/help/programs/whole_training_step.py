# the training step with backward is one graph
# thread: pytorch/pytorch#120814: compile forward and loss, call backward outside (or let it break)
# help: outside | forward
import torch
from torch import nn

model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile(backend="eager", fullgraph=True)
def train_step(x):
    opt.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()  #! error
    opt.step()
    return loss


print(train_step(torch.ones(2, 4)).shape)
