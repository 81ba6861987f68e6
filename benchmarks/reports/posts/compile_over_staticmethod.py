# torch.compile stands above staticmethod
import torch


class Ops:
    @torch.compile(backend="eager")  #! error
    @staticmethod
    def norm(x):
        return x / x.norm()


Ops().norm(torch.randn(4))  #! error
