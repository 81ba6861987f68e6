# rows of a Jacobian come from one batched call of grad, which the compiled function allows
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return torch.tanh(self.fc(x))


def jacobian(model, x):
    x = x.requires_grad_(True)
    y = model(x)
    return torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True)[0]


model = torch.compile(Net(), backend="aot_eager")
print(jacobian(model, torch.randn(3)).shape)
