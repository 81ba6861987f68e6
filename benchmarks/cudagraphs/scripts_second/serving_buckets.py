import torch
from torch import nn

net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).cuda().eval()
model = torch.compile(net, mode="reduce-overhead", dynamic=False)
BUCKETS = (4, 8, 16)


def pad(batch):
    size = next(b for b in BUCKETS if b >= len(batch))
    return torch.nn.functional.pad(batch, (0, 0, 0, size - len(batch)))


@torch.inference_mode()
def serve(batch):
    return model(pad(batch.cuda()))[: len(batch)].cpu()


for n in (3, 8, 13, 5, 16, 2, 11, 7):
    serve(torch.randn(n, 64))
