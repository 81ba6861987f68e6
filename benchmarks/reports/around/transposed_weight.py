# the second matrix is a transposed view
import torch


@torch.compile(backend="eager")
def gram(a):
    return a @ a.T + a.sum()


a = torch.randn(4, 4)
print(gram(a).shape)  #! recompile input
print(gram(a.T).shape)  #! recompile input
