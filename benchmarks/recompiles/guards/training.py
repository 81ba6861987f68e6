"""`training` of modules: train() and eval() called by the compiled code."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


class FrozenNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        out = self.norm(x)
        self.norm.eval()
        return out


def make_layer_put_to_eval():
    return FrozenNorm(), (X,)


class WholeEval(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        out = self.drop(x) if self.training else x * 2
        self.eval()
        return out


def make_itself_put_to_eval():
    return WholeEval(), (X,)


class FlagWritten(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        out = self.drop(x)
        self.drop.training = False
        return out


def make_flag_written():
    return FlagWritten(), (X,)


class Sampled(nn.Module):
    """Evaluates once before training, and leaves the flag there."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))

    def sample(self, x):
        return self.body(x)

    def forward(self, x):
        out = self.sample(x)
        self.body.train(False)
        return out


def make_train_false():
    return Sampled(), (X,)


class Alternating(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        out = self.drop(x)
        self.drop.train(not self.drop.training)
        return out


def make_train_toggled():
    return Alternating(), (X,)


class EvalWhenCalled(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        if self.norm.training:
            self.norm.eval()
        return self.norm(x)


def make_eval_before_use():
    return EvalWhenCalled(), (X,)


class EvalFirst(nn.Module):
    """Written to what it is in every call: the module is in evaluation already."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4).eval()

    def forward(self, x):
        self.norm.eval()
        return self.norm(x)


def make_eval_in_evaluation():
    return EvalFirst().eval(), (X,)


class EvalUnread(nn.Module):
    """Evaluation is switched on before the layer looks at its flag."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        self.drop.eval()
        return self.drop(x)


def make_eval_and_then_used():
    return EvalUnread(), (X,)


class PutBack(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        self.drop.eval()
        y = self.drop(x)
        self.drop.train()
        return y + self.drop(x)


def make_put_back():
    return PutBack(), (X,)


class TrainInTraining(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        out = self.drop(x)
        self.drop.train()
        return out


def make_train_in_training():
    return TrainInTraining(), (X,)


class Reads(nn.Module):
    def forward(self, x):
        return x * 2 if self.training else x


def make_flag_read():
    return Reads(), (X,)


class OwnFlag(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        out = nn.functional.dropout(x, 0.5, training=self.drop.training)
        return out


def make_flag_passed_on():
    return OwnFlag(), (X,)
