import torch


@torch.library.custom_op("project::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.limit = x.max().item()
        return x.clamp(max=ctx.limit)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x < ctx.limit)


def use(x: torch.Tensor):
    return Clip.apply(double(x))
