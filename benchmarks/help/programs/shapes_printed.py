# a shape is printed while debugging
# thread: discuss.pytorch.org/t/graph-break-print: drop it, or print outside; torch._higher_order_ops.print
# help: outside | reorderable_logging_functions | remove
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        x = self.fc(x)
        print("after fc", x.shape)  #! break
        return x.relu()


torch.manual_seed(0)
net = torch.compile(Net(), backend="eager")
net(torch.ones(2, 4))
