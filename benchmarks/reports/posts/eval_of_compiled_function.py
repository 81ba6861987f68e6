# a compiled function is put into evaluation mode
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))


@torch.compile(backend="eager")
def predict(x):
    return net(x).softmax(-1)


def validate(model, x):
    model.eval()  #! error
    with torch.no_grad():
        return model(x)


validate(predict, torch.randn(2, 4))  #! error
