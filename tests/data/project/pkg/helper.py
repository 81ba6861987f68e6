import torch


def scale(x: torch.Tensor):
    """Breaks by the largest value."""
    largest = x.abs().max().item()
    return x / largest if largest > 1 else x


def scale_in_place(x):
    x.data.div_(x.data.norm())
    return x
