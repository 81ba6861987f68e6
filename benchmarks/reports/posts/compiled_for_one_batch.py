# a script compiles a model for one single call
import torch
from torch import nn


@torch.no_grad()
def main():
    net = nn.Linear(4, 1).eval()
    model = torch.compile(net, mode="max-autotune-no-cudagraphs", backend="inductor")  #! slow
    print(model(torch.ones(1, 4)).shape)  #! slow


main()
