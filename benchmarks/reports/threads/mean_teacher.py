# the teacher is a compiled copy, called without gradients
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


student = Net()
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)
student, teacher = torch.compile(student, backend="eager"), torch.compile(teacher, backend="eager")  #! recompile instance
for _ in range(2):
    x = torch.randn(2, 4)
    with torch.no_grad():
        target = teacher(x)  #! recompile instance
    (student(x) - target).pow(2).mean().backward()  #! recompile instance
    with torch.no_grad():
        for ps, pt in zip(student.parameters(), teacher.parameters()):
            pt.mul_(0.9).add_(ps, alpha=0.1)
