"""compilelint finds the lines of PyTorch code that keep `torch.compile` from capturing one fast graph."""

__version__ = "0.1.0"
