# layers are replaced before the model is compiled; pair_of=quantized_dynamically
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


def replace_linears(model):
    count = 0
    for name, child in model.named_children():
        if isinstance(child, nn.Linear):
            setattr(model, name, nn.Bilinear(4, 4, 4) if count else nn.Linear(4, 4, bias=False))
            count += 1
    return count


net = Net()
print(replace_linears(net))
model = torch.compile(net, backend="eager")
model(torch.randn(2, 4))
