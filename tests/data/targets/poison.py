"""Harms what comes next in the same process, by being imported."""

import os

import torch


class Poison(torch.nn.Module):
    def forward(self, x):
        return x + 1


torch.nn.Linear.forward = lambda self, x: os._exit(5)
