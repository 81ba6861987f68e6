# the teacher is copied before the student's forward is compiled; pair_of=deepcopy_of_forward_compiled
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1, bias=False)

    def forward(self, x):
        return self.fc(x)


student = Net()
nn.init.ones_(student.fc.weight)
teacher = copy.deepcopy(student)
student.forward = torch.compile(student.forward, backend="eager")
with torch.no_grad():
    student.fc.weight.zero_()
    print(teacher(torch.ones(1, 2)).item())
    print(student(torch.ones(1, 2)).item())
