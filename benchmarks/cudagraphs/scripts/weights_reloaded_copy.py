import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



model = Net().cuda().eval()
fast = torch.compile(model, mode="reduce-overhead")
with torch.no_grad():
    for _ in range(5):
        model.load_state_dict({k: torch.randn_like(v) for k, v in model.state_dict().items()})
        for _ in range(2):
            print(fast(torch.randn(8, 64, device="cuda")).sum().item())
