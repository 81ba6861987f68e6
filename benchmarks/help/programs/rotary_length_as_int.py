# the longest length of each batch is given as an int to a rotary embedding
# thread: Dao-AILab/quack#150: dynamic shapes for it (dynamic=False was set), or round it up to a few values
# help: dynamic | tensor | round | bucket
import torch


class Rotary(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.linspace(0, 1, 512))

    def forward(self, x, max_length):
        return x * self.table[:max_length].sum().cos()


fast = torch.compile(Rotary(), backend="eager", dynamic=False)
for longest in (496, 500, 507, 511):
    fast(torch.ones(2, 4), longest)  #! recompile int-argument
