# warmed up with another shape than the one that is served
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(16, 16)

    def forward(self, x):
        return self.lin(x)


class Server:
    def __init__(self):
        self.model = torch.compile(Net().eval(), backend="eager")
        self.warm_up()

    @torch.no_grad()
    def warm_up(self):
        for _ in range(3):
            self.model(torch.zeros(1, 16))  #! recompile input

    @torch.no_grad()
    def predict(self, rows):
        return self.model(torch.tensor(rows))  #! recompile input


server = Server()
print(server.predict([[0.0] * 16, [1.0] * 16]).shape)
