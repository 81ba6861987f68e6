import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



net = torch.compile(Net().cuda().eval(), mode="reduce-overhead")


def predictions(batches):
    with torch.no_grad():
        for batch in batches:
            yield net(batch)


total = 0.0
for _ in range(2):
    for p in predictions([torch.randn(4, 64, device="cuda") for _ in range(4)]):
        total += p.mean().item()
print(total)
