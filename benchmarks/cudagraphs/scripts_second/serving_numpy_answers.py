import torch
from torch import nn

net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).cuda().eval()
model = torch.compile(net, mode="reduce-overhead")
answers = {}


class Service:
    def __init__(self, model):
        self.model = model

    @torch.inference_mode()
    def __call__(self, rows):
        batch = torch.stack(rows).to("cuda", non_blocking=True)
        return self.model(batch).softmax(-1).cpu().numpy()


service = Service(model)
for k in range(5):
    answers[k] = service([torch.randn(64) for _ in range(8)])
print({k: v.argmax(1).tolist() for k, v in answers.items()})
