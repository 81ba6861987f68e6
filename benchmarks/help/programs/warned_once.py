# a module warns of a long input
# thread: huggingface/transformers#29018: warn outside of the compiled part
# help: outside | is_compiling | ignore_logging_functions | reorderable_logging_functions
import warnings

import torch
from torch import nn


class Embed(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(16, 4)

    def forward(self, ids):
        if ids.shape[1] > 4:
            warnings.warn("longer than what it was trained with")  #! break
        return self.table(ids)


torch.manual_seed(0)
embed = torch.compile(Embed(), backend="eager")
print(embed(torch.zeros(1, 6, dtype=torch.long)).sum())
