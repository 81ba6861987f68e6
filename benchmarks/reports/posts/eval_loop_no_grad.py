# the evaluation runs without gradients between epochs
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 1))
model = torch.compile(net, backend="eager")
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def train_epoch():
    model.train()
    for _ in range(2):
        opt.zero_grad()
        model(torch.randn(4, 4)).mean().backward()  #! recompile state
        opt.step()


@torch.no_grad()
def evaluate():
    model.eval()  #! recompile state
    return model(torch.randn(4, 4)).mean().item()  #! recompile state


for _ in range(2):
    train_epoch()
    evaluate()
