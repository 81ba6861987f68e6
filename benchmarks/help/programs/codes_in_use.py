# a quantizer counts the codes in use
# thread: lucidrains/vector-quantize-pytorch: count by a one-hot or a scatter of a fixed size, outside of the hot path
# help: capture_dynamic_output_shape_ops | one_hot | bincount | scatter | outside
import torch
from torch import nn


class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(8, 4))

    def forward(self, x):
        ids = torch.cdist(x, self.codes).argmin(-1)
        used = torch.unique(ids)  #! break
        return self.codes[ids], used.numel()


torch.manual_seed(0)
quantizer = torch.compile(Quantizer(), backend="eager")
print(quantizer(torch.randn(5, 4))[1])
