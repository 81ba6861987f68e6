# a plain training loop with accumulation
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 1)

    def forward(self, x):
        return self.lin(x).squeeze(-1)


def main(accumulate=4):
    net = Net()
    net = torch.compile(net, backend="eager")
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3, fused=False)
    for step in range(8):
        x, y = torch.randn(16, 4), torch.randn(16)
        loss = ((net(x) - y) ** 2).mean() / accumulate
        loss.backward()
        if (step + 1) % accumulate == 0:
            opt.step()
            opt.zero_grad(set_to_none=True)


main()
