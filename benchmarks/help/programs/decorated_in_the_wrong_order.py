# a static method is compiled outside of staticmethod
# thread: pytorch/pytorch#101107: staticmethod goes outermost
# help: staticmethod; order | outermost | first | above | below | inner
import torch


class Ops:
    @torch.compile(backend="eager")  #! error
    @staticmethod
    def gelu(x):
        return torch.nn.functional.gelu(x)


print(Ops().gelu(torch.ones(2)))
