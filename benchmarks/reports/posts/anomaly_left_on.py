# anomaly detection was left on during training
import torch
from torch import nn

torch.autograd.set_detect_anomaly(True)  #! slow
model = torch.compile(nn.Linear(4, 1), backend="aot_eager")
for _ in range(2):
    model(torch.randn(2, 4)).mean().backward()
