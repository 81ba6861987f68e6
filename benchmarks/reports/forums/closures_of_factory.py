# a factory makes a compiled function for each constant
import torch


def make_filter(k):
    @torch.compile(backend="eager")  #! recompile instance
    def smooth(x):
        return torch.nn.functional.avg_pool1d(x, k, stride=1)  #! recompile instance

    return smooth  #! recompile instance


filters = [make_filter(k) for k in (2, 3, 5)]  #! recompile instance
x = torch.randn(1, 1, 16)
outs = [f(x) for f in filters]  #! recompile instance
