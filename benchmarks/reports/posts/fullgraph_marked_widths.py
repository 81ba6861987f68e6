# fullgraph with the batch marked; pair_of=fullgraph_many_widths
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4), fullgraph=True, backend="eager")
for size in range(2, 14):
    x = torch.randn(size, 4)
    torch._dynamo.mark_dynamic(x, 0)
    model(x)
