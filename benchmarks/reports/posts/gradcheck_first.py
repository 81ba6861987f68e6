# a test checks first derivatives of the compiled function; pair_of=gradcheck_second
import torch


@torch.compile(backend="aot_eager")
def smooth(x):
    return torch.tanh(x).pow(2)


x = torch.randn(3, dtype=torch.double, requires_grad=True)
assert torch.autograd.gradcheck(smooth, (x,))
