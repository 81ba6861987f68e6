# the plain model is put into evaluation mode and the wrapper is asked, which follows it
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
model = torch.compile(net, backend="eager")
model(torch.randn(2, 4))
net.eval()
if model.training:
    print("training")
else:
    print("evaluating")
