# the compiled model itself is saved and read again
import io

import torch
from torch import nn

model = torch.compile(nn.Linear(4, 2), backend="eager")
model(torch.randn(1, 4))
buf = io.BytesIO()
torch.save(model, buf)
buf.seek(0)
again = torch.load(buf, weights_only=False)
print(again(torch.ones(1, 4)).shape)
