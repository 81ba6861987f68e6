# noise that asks for gradients is made in the forward
# thread: pytorch/pytorch#100346: make it outside and pass it in, or as a parameter
# help: outside | argument | pass | Parameter | __init__ | before
import torch
from torch import nn


class Noise(nn.Module):
    def forward(self):
        return torch.randn(2, 4, requires_grad=True).mean()  #! break


torch.manual_seed(0)
loss = torch.compile(Noise(), backend="eager")()
loss.backward()
print(loss.requires_grad)
