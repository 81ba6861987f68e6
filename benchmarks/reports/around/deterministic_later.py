# a switch of torch is set between two calls
import torch


@torch.compile(backend="eager")
def scatter(x, idx):
    return torch.zeros(4).index_add(0, idx, x)


x, idx = torch.ones(3), torch.tensor([0, 1, 1])
scatter(x, idx)  #! recompile state
torch.use_deterministic_algorithms(True)  #! recompile state
scatter(x, idx)  #! recompile state
