import torch
import torch.nn.functional as F
from torch import nn


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, 16, 4, 4), nn.ReLU(), nn.Flatten(), nn.Linear(256, 32))
        self.text = nn.Sequential(nn.EmbeddingBag(100, 32), nn.Linear(32, 32))
        self.scale = nn.Parameter(torch.tensor(2.0))


towers = TwoTowers().cuda()
image = torch.compile(towers.image, mode="reduce-overhead")
text = torch.compile(towers.text, mode="reduce-overhead")
opt = torch.optim.AdamW(towers.parameters(), 1e-3)
labels = torch.arange(16, device="cuda")
for _ in range(6):
    a = F.normalize(image(torch.randn(16, 3, 16, 16, device="cuda")), dim=-1)
    b = F.normalize(text(torch.randint(0, 100, (16, 8), device="cuda")), dim=-1)
    logits = towers.scale.exp() * a @ b.t()
    loss = F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
