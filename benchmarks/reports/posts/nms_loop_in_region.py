# a suppression loop goes over tensors in compiled code
import torch


@torch.compile(backend="eager")
def nms(boxes, scores, limit):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        keep.append(order[0])
        overlap = (boxes[order[1:]] - boxes[order[0]]).abs().sum(1)
        order = order[1:][overlap > limit]  #! break
    return torch.stack(keep)


nms(torch.randn(4, 4), torch.rand(4), 0.5)
