import torch
from torch import nn
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.head = nn.Linear(32, 64), nn.Linear(64, 10)

    def forward(self, x):
        h = torch.tanh(self.enc(x))
        return self.head(h), h


net = torch.compile(Two().cuda().eval(), mode="reduce-overhead")
hidden = []
with torch.no_grad():
    for _ in range(5):
        logits, h = net(torch.randn(8, 32, device="cuda"))
        print(logits.argmax(-1).tolist())
        hidden.append(h)
print(torch.cat(hidden).shape, torch.cat(hidden).mean())
