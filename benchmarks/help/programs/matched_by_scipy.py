# a matcher runs on numpy arrays in the loss
# thread: facebookresearch/Mask2Former: match outside of the compiled loss, or disable the matcher
# help: custom_op | disable | outside
import numpy as np
import torch


def linear_sum_assignment(cost):
    order = np.argsort(cost.min(axis=1), kind="stable")
    return order, cost[order].argmin(axis=1)


def matched_loss(boxes, targets):
    cost = torch.cdist(boxes, targets)
    rows, columns = linear_sum_assignment(cost.detach().cpu().numpy())
    rows, columns = rows.tolist(), columns.tolist()  #! break
    return (boxes[rows] - targets[columns]).abs().mean()


torch.manual_seed(0)
fast = torch.compile(matched_loss, backend="eager")
print(fast(torch.randn(3, 4), torch.randn(5, 4)))
