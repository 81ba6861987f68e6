import torch
from torch import nn
class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(64, 64), nn.Linear(64, 64), nn.Linear(64, 64)
        self.register_buffer("keys", torch.zeros(1, 32, 64))
        self.register_buffer("values", torch.zeros(1, 32, 64))

    def forward(self, x, pos):
        self.keys.index_copy_(1, pos, self.k(x))
        self.values.index_copy_(1, pos, self.v(x))
        return torch.nn.functional.scaled_dot_product_attention(self.q(x), self.keys, self.values)


net = torch.compile(Attend().cuda().eval(), mode="reduce-overhead")
with torch.no_grad():
    for i in range(8):
        y = net(torch.randn(1, 1, 64, device="cuda"), torch.tensor([i], device="cuda"))
        print(y.norm().item())
