# the trainer keeps the plain model, the compiled one is made afterwards
import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(self, x):
        self.opt.zero_grad()
        loss = self.model(x).mean()
        loss.backward()
        self.opt.step()


model = nn.Linear(4, 1)
trainer = Trainer(model)
model = torch.compile(model, backend="eager")  #! slow
for _ in range(3):
    trainer.step(torch.randn(4, 4))
