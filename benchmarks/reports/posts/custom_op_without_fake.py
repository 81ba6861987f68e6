# an operator of the program has no fake implementation
import torch
from torch import Tensor


@torch.library.custom_op("posts::scale_rows", mutates_args=())  #! error
def scale_rows(x: Tensor, by: float) -> Tensor:
    return x * by


@torch.compile(fullgraph=True, backend="eager")
def run(x):
    return scale_rows(x, 2.0) + 1  #! error


run(torch.randn(3, 3))
