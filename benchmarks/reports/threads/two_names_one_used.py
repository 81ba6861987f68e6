# the trainer keeps both and steps with the plain one
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
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)
        if compile:
            self.compiled_model = torch.compile(model, backend="eager")  #! slow

    def step(self, x):
        loss = self.model(x).pow(2).mean()
        loss.backward()
        self.opt.step()
        self.opt.zero_grad()


trainer = Trainer(Net())
for _ in range(3):
    trainer.step(torch.randn(2, 4))
