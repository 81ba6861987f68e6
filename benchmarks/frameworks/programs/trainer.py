"""Transformers' Trainer, asked to compile by `torch_compile`."""

import torch
from torch import nn
from transformers import Trainer, TrainingArguments


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 1)

    def forward(self, x, labels=None):
        y = self.a(x)
        print("here")
        loss = ((y.squeeze(-1) - labels) ** 2).mean()
        return {"loss": loss, "logits": y}


if __name__ == "__main__":
    data = [{"x": torch.randn(4), "labels": torch.tensor(1.0)} for _ in range(8)]
    args = TrainingArguments(
        output_dir="build/trained",
        torch_compile=True,
        torch_compile_backend="eager",
        max_steps=1,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    Trainer(model=Net(), args=args, train_dataset=data).train()
