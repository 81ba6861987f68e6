# a base trainer compiles, and a subclass feeds batches of any length
import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)

    def setup(self):
        self.model = torch.compile(self.model, backend="eager")

    def fit(self, loader):
        self.setup()
        for batch in loader:
            loss = self.training_step(batch)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    def training_step(self, batch):
        raise NotImplementedError


class LanguageTrainer(Trainer):
    def training_step(self, batch):
        logits = self.model(batch[:, :-1])  #! recompile input
        return nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(12, 8)
        self.out = nn.Linear(8, 12)

    def forward(self, ids):
        return self.out(self.emb(ids))


docs = [torch.randint(0, 12, (2, n)) for n in (6, 9, 7)]
LanguageTrainer(LM()).fit(docs)
