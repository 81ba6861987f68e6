# a metric counts its updates in an int of the module
# thread: meta-pytorch/torchrec#4338: torch._dynamo.config.allow_unspec_int_on_nn_module, or count in a tensor
# help: allow_unspec_int_on_nn_module | buffer | tensor
import torch
from torch import nn


class Metric(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))
        self._update_count = 0

    def forward(self, preds, target):
        self._update_count += 1
        self.total = self.total + (preds - target).abs().sum()  #! recompile state
        return self.total / self._update_count  #! recompile state


metric = torch.compile(Metric(), backend="eager")
for _ in range(4):
    print(metric(torch.ones(3), torch.zeros(3)))  #! recompile state
