import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



model = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
inputs = {name: torch.randn(4, 64, device="cuda") for name in ("left", "right", "top")}
with torch.no_grad():
    for _ in range(4):
        outputs = {name: model(x) for name, x in inputs.items()}
for name, value in outputs.items():
    print(name, value.std().item())
