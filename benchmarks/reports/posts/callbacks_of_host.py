# a trainer with callbacks counts steps outside of the compiled model
import torch
from torch import nn


class Callback:
    def on_step(self, trainer):
        trainer.seen += 1


class Trainer:
    def __init__(self, model, callbacks):
        self.model = torch.compile(model, backend="eager")
        self.callbacks = callbacks
        self.seen = 0

    def fit(self, batches):
        for x in batches:
            self.model(x).mean().backward()
            for callback in self.callbacks:
                callback.on_step(self)


trainer = Trainer(nn.Linear(4, 1), [Callback()])
trainer.fit(torch.randn(2, 4) for _ in range(3))
print(trainer.seen)
