# the stance holds for the evaluation only; pair_of=stance_eager_for_evaluation
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 1), backend="eager")
for _ in range(3):
    model(torch.randn(4, 4)).mean().backward()
    with torch.compiler.set_stance("force_eager"):
        model(torch.randn(2, 4))
