# the loss of a compiled step is written outside; pair_of=logged_in_training_step
import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.history = []
        self.step = torch.compile(self._step, backend="eager")

    def _step(self, x):
        return self.model(x).square().mean()

    def fit(self, n):
        for _ in range(n):
            loss = self.step(torch.randn(2, 4))
            loss.backward()
            self.history.append(loss.item())


trainer = Trainer(nn.Linear(4, 4))
trainer.fit(3)
