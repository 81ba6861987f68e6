"""Clipping."""
import torch

def clipped(x, limit):
    norm = torch.linalg.vector_norm(x)
    if norm > limit:
        x = x / norm
    return x
