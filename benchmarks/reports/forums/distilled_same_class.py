# teacher and student are of one class, the teacher without gradients
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.up = nn.Linear(4, hidden)
        self.down = nn.Linear(hidden, 3)

    def forward(self, x):
        return self.down(self.up(x).relu())


teacher = torch.compile(Net(32).eval(), backend="eager")  #! recompile instance
student = torch.compile(Net(8), backend="eager")  #! recompile instance
x = torch.randn(5, 4)
for _ in range(2):
    with torch.no_grad():  #! recompile instance
        soft = teacher(x).softmax(-1)  #! recompile instance
    loss = nn.functional.kl_div(student(x).log_softmax(-1), soft)  #! recompile instance
    loss.backward()
