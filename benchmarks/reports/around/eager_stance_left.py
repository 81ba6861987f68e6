# the stance of a debugging session is left in place
import torch

torch.compiler.set_stance("force_eager")  #! slow


@torch.compile(backend="eager")  #! slow
def f(x):
    return x.sin() + x.cos()


for _ in range(3):
    f(torch.randn(4))  #! slow
