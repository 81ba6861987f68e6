# the forward asserts that the loss is finite
# thread: kornia/kornia#3794: torch._assert_async keeps the check in the graph
# help: _assert_async | torch._assert
import torch


def checked(pred, target):
    loss = (pred - target).pow(2).mean()
    if not torch.isfinite(loss):  #! break
        raise ValueError("loss is not finite")
    return loss


fast = torch.compile(checked, backend="eager")
print(fast(torch.ones(3), torch.zeros(3)))
