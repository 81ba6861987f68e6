import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



from concurrent.futures import ThreadPoolExecutor

net = torch.compile(Net().cuda().eval(), mode="reduce-overhead")


def serve(x):
    with torch.inference_mode():
        return net(x).sum().item()


with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(serve, [torch.randn(8, 64, device="cuda") for _ in range(8)])))
