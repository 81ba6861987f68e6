# staticmethod stands above torch.compile; pair_of=compile_over_staticmethod
import torch


class Ops:
    @staticmethod
    @torch.compile(backend="eager")
    def norm(x):
        return x / x.norm()


for _ in range(2):
    Ops().norm(torch.randn(4))
