# weights ask for gradients in some calls that record none
# thread: pytorch/pytorch#131975: the flag is guarded even under no_grad: detach, or keep it as it is
# help: detach | requires_grad; same | keep | before | detach
import torch


@torch.compile(backend="eager")
def clipped(a, b):
    return (a + b).clip(0)


a, b = torch.randn(4), torch.randn(4)
with torch.no_grad():
    print(clipped(a, b).shape)
    a.requires_grad_(True)
    print(clipped(a, b).shape)  #! recompile input
