# the trainer is given the compiled model; pair_of=old_reference_in_trainer
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


model = torch.compile(nn.Linear(4, 1), backend="eager")
trainer = Trainer(model)
for _ in range(3):
    trainer.step(torch.randn(4, 4))
