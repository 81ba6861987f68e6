import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



class Writer:
    def __init__(self):
        self.rows = []

    def write(self, prediction):
        self.rows.append(prediction.cpu().numpy())


net = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
writer = Writer()
with torch.no_grad():
    for i in range(5):
        writer.write(net(torch.randn(4, 64, device="cuda")))
print(len(writer.rows))
