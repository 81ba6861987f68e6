import copy

import torch
import torch.nn.functional as F
from torch import nn


def make():
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10))


student = make().cuda()
teacher = copy.deepcopy(student).requires_grad_(False)
student_c = torch.compile(student, mode="reduce-overhead")
teacher_c = torch.compile(teacher, mode="reduce-overhead")
opt = torch.optim.SGD(student.parameters(), 0.1)
for _ in range(6):
    x = torch.randn(16, 32, device="cuda")
    with torch.no_grad():
        target = teacher_c(x + 0.1 * torch.randn_like(x))
    prediction = student_c(x)
    loss = F.mse_loss(prediction, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.mul_(0.99).add_(s, alpha=0.01)
