"""Small models with one trait each, for what a run must observe. The comments name the lines that tests look up."""

import os
from collections import OrderedDict

import torch


class Clean(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        self.seen += 1
        return {"loss": self.layer(x).sum(), "hidden": [self.layer(x)]}


class Breaks(Clean):
    def helper(self, x):
        return x * x.max().item()  # BREAK item

    def forward(self, x):
        if x.sum() > 0:  # BREAK if
            x = x + 1
        return self.helper(x)


class BreaksInLoop(Clean):
    def forward(self, x):
        for _ in range(2):
            print("step")  # BREAK print
            x = self.layer(x)
        return x


class Counts(Clean):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x):
        self.step += 1  # GUARD step
        return x * self.step


class CountsTooOften(Counts):
    """Called often enough to be given up."""


class Grows(Clean):
    def forward(self, x):
        return x.reshape(-1) * x.shape[0]


class Reorders(Clean):
    def __init__(self):
        super().__init__()
        self.order = OrderedDict(a=1, b=2, c=3)

    def forward(self, x):
        first = next(iter(self.order))
        self.order.move_to_end(first)
        return x * self.order[first]


class Chance(Clean):
    def forward(self, x):
        return x * (os.getpid() % 97)


class Reader(Clean):
    """Distinguishes compiled from eager: the one divergence that can be had for certain."""

    def __init__(self):
        super().__init__()
        self.path = "unknown"

    def forward(self, x):
        self.path = "compiled" if torch.compiler.is_compiling() else "eager"
        return self.layer(x)


class OtherGradient(Clean):
    def forward(self, x):
        return self.layer(x) * (2 if torch.compiler.is_compiling() else 1)


class FailsCompiled(Clean):
    """Eager falls back where Dynamo gives up."""

    def forward(self, x):
        try:
            return x + torch.ones(5, device="meta")
        except RuntimeError:
            return self.layer(x)


class WritesInput(Clean):
    def forward(self, x):
        x.add_(1)
        return x


class HasHook(Clean):
    def example_inputs(self):
        return (torch.ones(3, 4),)


class HasWrongHook(Clean):
    dummy_inputs = {"pixels": torch.ones(2, 2)}


class HasSeveral(Clean):
    def forward(self, x, y, scale=1.0):
        return x + y["key"] * scale


class Convolves(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 4, 3)

    def forward(self, image):
        return self.first(image)


class Regions(Clean):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Clean(), Clean()])

    def forward(self, x):
        print("outside of the regions")
        for block in self.blocks:
            x = block(x)["hidden"][0]
        return x


class NeedsWidth(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = torch.nn.Linear(width, width)

    def forward(self, x):
        return self.layer(x)


def factory(width=4):
    return NeedsWidth(width), [((torch.ones(2, width),), {}), ((torch.ones(3, width),), {})]


def function(x, y):
    return x @ y


def inputs():
    return {"x": torch.ones(2, 3), "y": torch.ones(3, 2)}


class Numbering(torch.nn.Module):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.number


class Numbered(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList(Numbering(number) for number in (2, 3, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return x
