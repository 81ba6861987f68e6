"""Lightning, handed a compiled module: its steps are compiled."""

import lightning as L
import torch
from torch import nn


class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 1)

    def forward(self, x):
        return self.a(x)

    def training_step(self, batch, i):
        y = self(batch)
        print("here")
        return (y * 2).sum()

    def validation_step(self, batch, i):
        y = self(batch)
        print("there")
        return y.sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def main():
    data = torch.utils.data.DataLoader(torch.randn(8, 4), batch_size=4)
    model = torch.compile(Lit(), backend="eager")
    trainer = L.Trainer(
        max_steps=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, data, data)


if __name__ == "__main__":
    main()
