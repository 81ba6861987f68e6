# fullgraph, and a logger speaks inside
import logging

import torch
from torch import nn

logger = logging.getLogger("train")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        logger.info("shape %s", y.shape)  #! error
        return y


model = torch.compile(Net(), fullgraph=True, backend="eager")
model(torch.randn(2, 4))
