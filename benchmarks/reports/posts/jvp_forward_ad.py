# forward mode differentiation of a compiled function, which is allowed
import torch
import torch.autograd.forward_ad as fwAD


@torch.compile(backend="aot_eager")
def curve(t):
    return t.sin() * t


with fwAD.dual_level():
    dual = fwAD.make_dual(torch.tensor(1.0), torch.tensor(1.0))
    out = curve(dual)
    print(fwAD.unpack_dual(out).tangent)
