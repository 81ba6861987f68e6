# errors of the backend are suppressed, which hides that nothing is compiled
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.suppress_errors = True  #! slow


def backend(gm, inputs):
    raise RuntimeError("no compiler found")


model = torch.compile(nn.Linear(4, 1), backend=backend)  #! slow
for _ in range(2):
    model(torch.randn(2, 4))
