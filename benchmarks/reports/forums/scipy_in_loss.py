# the matching of a loss is solved by a library outside of torch
import numpy as np
import torch


def hungarian(cost):
    order = []
    for row in cost:
        for j in np.argsort(row):
            if j not in order:
                order.append(int(j))
                break
    return order


@torch.compile(backend="eager")
def matched_loss(pred, target):
    cost = torch.cdist(pred, target)
    idx = hungarian(cost.detach().cpu().numpy())  #! break
    return (pred - target[idx]).abs().mean()


matched_loss(torch.randn(3, 2, requires_grad=True), torch.randn(3, 2)).backward()
