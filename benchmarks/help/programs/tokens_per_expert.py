# tokens are counted per expert by bincount
# thread: unslothai/unsloth-zoo#608: zeros(num_experts).scatter_add_(0, ids, ones) in place of bincount
# help: scatter_add | one_hot | capture_dynamic_output_shape_ops | index_add
import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.experts = experts

    def forward(self, ids):
        counts = torch.bincount(ids.flatten(), minlength=self.experts)  #! break
        return counts.cumsum(0)


route = torch.compile(Router(4), backend="eager")
print(route(torch.tensor([[0, 2], [2, 3]])))
