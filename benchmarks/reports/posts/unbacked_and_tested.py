# a size is marked unbacked and then tested
import torch


@torch.compile(fullgraph=True, backend="eager")
def pool(x):
    if x.shape[0] > 4:  #! error
        return x.mean(0)
    return x.sum(0)


x = torch.randn(6, 3)
torch._dynamo.decorators.mark_unbacked(x, 0)  #! error
pool(x)  #! error
