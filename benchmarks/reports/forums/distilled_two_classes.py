# teacher and student are of two classes; pair_of=distilled_same_class
import torch
from torch import nn


class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(4, 32)
        self.down = nn.Linear(32, 3)

    def forward(self, x):
        return self.down(self.up(x).relu())


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.only = nn.Linear(4, 3)

    def forward(self, x):
        return self.only(x)


teacher = torch.compile(Teacher().eval(), backend="eager")
student = torch.compile(Student(), backend="eager")
x = torch.randn(5, 4)
for _ in range(2):
    with torch.no_grad():
        soft = teacher(x).softmax(-1)
    loss = nn.functional.kl_div(student(x).log_softmax(-1), soft)
    loss.backward()
