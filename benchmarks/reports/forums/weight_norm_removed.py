# weight normalization is taken off for inference after training
import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm
from torch.nn.utils.parametrize import remove_parametrizations


class Vocoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = weight_norm(nn.Conv1d(4, 4, 3))

    def forward(self, mel):
        return self.conv(mel).tanh()

    def remove_weight_norm(self):
        remove_parametrizations(self.conv, "weight")  #! recompile state


voc = Vocoder()
run = torch.compile(voc, backend="eager")
run(torch.randn(1, 4, 16)).sum().backward()
voc.remove_weight_norm()  #! recompile state
run(torch.randn(1, 4, 16)).sum().backward()  #! recompile state
