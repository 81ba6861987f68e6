# compiled inside the function that is called for each request
import torch


def smooth(x):
    def inner(v):
        return (v[1:] + v[:-1]) / 2

    return torch.compile(inner, backend="eager")(x)  #! slow


for _ in range(3):
    smooth(torch.randn(8))
