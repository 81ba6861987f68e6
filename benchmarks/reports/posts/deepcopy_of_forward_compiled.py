# a module whose forward was replaced by its compiled form is copied for a teacher, which then uses the student
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
student.forward = torch.compile(student.forward, backend="eager")
teacher = copy.deepcopy(student)  #! wrong
with torch.no_grad():
    student.fc.weight.zero_()
    print(teacher(torch.ones(1, 2)).item())  #! wrong
