# policy, reference and reward are models of one class, frozen and not
import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, vocab=11, dim=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.drop(self.emb(ids)))


def compile_model(model):
    model.compile(backend="eager")  #! recompile instance
    return model


policy = compile_model(LM())
reference = compile_model(LM()).eval()  #! recompile instance
for p in reference.parameters():
    p.requires_grad = False
ids = torch.randint(0, 11, (2, 5))
for _ in range(2):
    logp = policy(ids).log_softmax(-1)  #! recompile instance
    with torch.no_grad():  #! recompile instance
        ref = reference(ids).log_softmax(-1)  #! recompile instance
    (logp - ref).mean().backward()
