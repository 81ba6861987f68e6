# prompts of many lengths
# thread: NVIDIA/TensorRT-LLM#6142: pad to a few lengths, or mark the dimension as dynamic before the first call
# help: mark_dynamic | dynamic=True | pad
import torch
from torch import nn


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(16, 8)
        self.head = nn.Linear(8, 16)

    def forward(self, ids):
        return self.head(self.table(ids).cumsum(1))


torch.manual_seed(0)
lm = torch.compile(LM(), backend="eager")
with torch.no_grad():
    for length in (5, 9, 17):
        lm(torch.zeros(1, length, dtype=torch.long))  #! recompile input
