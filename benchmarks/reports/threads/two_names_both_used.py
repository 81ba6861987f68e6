# the compiled one steps and the plain one is saved; pair_of=two_names_one_used
import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


class Trainer:
    def __init__(self, model, compile=True):
        self.model = model
        self.run = torch.compile(model, backend="eager") if compile else model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(self, x):
        loss = self.run(x).pow(2).mean()
        loss.backward()
        self.opt.step()
        self.opt.zero_grad()

    def save(self, file):
        torch.save(self.model.state_dict(), file)


trainer = Trainer(Net())
for _ in range(3):
    trainer.step(torch.randn(2, 4))
trainer.save(io.BytesIO())
