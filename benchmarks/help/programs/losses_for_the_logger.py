# the forward of a policy returns a dictionary of losses as floats
# thread: open-edge-platform/physical-ai-studio#877: return the detached tensors, the logger reads them later
# help: detach
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 2)

    def forward(self, obs, action):
        pred = self.head(obs)
        loss = nn.functional.mse_loss(pred, action)
        l1 = (pred - action).abs().mean()
        return loss, {"loss": loss.item(), "l1": l1.item()}  #! break


torch.manual_seed(0)
policy = torch.compile(Policy(), backend="eager")
loss, parts = policy(torch.randn(4, 8), torch.randn(4, 2))
loss.backward()
print(sorted(parts))
