# a loss selects by a mask
import torch


def masked_loss(pred, target, mask):
    return (pred[mask] - target[mask]).abs().mean()  #! break


loss_fn = torch.compile(masked_loss, backend="eager")
for _ in range(2):
    loss_fn(torch.randn(8), torch.randn(8), torch.rand(8) > 0.5)
