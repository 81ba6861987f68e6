# the last slice of the data is shorter
import torch
import torch.nn as nn

data = torch.randn(100, 6)
labels = torch.randint(0, 2, (100,))
bs = 32
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


class Classifier(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)


clf = torch.compile(Classifier(model), backend="eager")
opt = torch.optim.SGD(clf.parameters(), lr=0.1)
for i in range(0, len(data), bs):
    xb, yb = data[i : i + bs], labels[i : i + bs]
    loss = nn.functional.cross_entropy(clf(xb), yb)  #! recompile input
    opt.zero_grad()
    loss.backward()
    opt.step()
