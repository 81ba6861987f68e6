# the stance for the evaluation is never set back
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 1), backend="eager")
torch.compiler.set_stance("force_eager")  #! slow
for _ in range(3):
    model(torch.randn(4, 4)).mean().backward()  #! slow
