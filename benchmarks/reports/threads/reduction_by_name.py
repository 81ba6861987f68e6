# the reduction is chosen by a string
import torch


@torch.compile(backend="eager")
def huber(pred, target, reduction="mean"):
    d = (pred - target).abs()
    loss = torch.where(d < 1, 0.5 * d * d, d - 0.5)
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    return loss


pred, target = torch.randn(8), torch.randn(8)
train_loss = huber(pred, target)  #! recompile input
per_item = huber(pred, target, reduction="none")  #! recompile input
total = huber(pred, target, reduction="sum")  #! recompile input
