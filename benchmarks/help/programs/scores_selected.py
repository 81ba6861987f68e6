# the scores above a threshold are selected
# thread: pytorch/pytorch#165421: capture_dynamic_output_shape_ops, or keep the shape and set the others aside by a mask
# help: capture_dynamic_output_shape_ops | torch.where | mask
import torch
from torch import nn


class Selected(nn.Module):
    def forward(self, x):
        mask = x.ge(0.5)
        return x.masked_select(mask).sum()  #! break


select = torch.compile(Selected(), backend="eager")
print(select(torch.arange(12.0).reshape(3, 4) / 12))
