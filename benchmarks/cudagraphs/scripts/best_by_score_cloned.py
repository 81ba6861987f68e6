import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



net = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
best, best_score = None, float("-inf")
with torch.no_grad():
    for seed in range(6):
        torch.manual_seed(seed)
        out = net(torch.randn(8, 64, device="cuda"))
        score = out.mean().item()
        if score > best_score:
            best, best_score = out.clone(), score
print(best.sum().item())
