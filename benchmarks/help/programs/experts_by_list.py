# tokens of each expert are a list that splits the tokens
# thread: PrimeIntellect-ai/prime-rl#996: grouped matrix multiplication with offsets in place of a loop over a list
# help: grouped | segment | offs
import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, 8, 8))

    def forward(self, x, num_tokens_per_expert):
        counts = num_tokens_per_expert.tolist()  #! break
        chunks = torch.split(x, counts)  #! break
        return torch.cat([chunk @ self.w[i] for i, chunk in enumerate(chunks)])


torch.manual_seed(0)
experts = torch.compile(Experts(), backend="eager")
print(experts(torch.randn(6, 8), torch.tensor([1, 2, 3])).sum())
