# an ordinary training script with all its parts
import argparse
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        return self.head(self.body(x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=4)
    args = parser.parse_args([])
    data = TensorDataset(torch.randn(18, 8), torch.randint(0, 3, (18,)))
    loader = DataLoader(data, batch_size=args.batch, shuffle=True, drop_last=True)
    model = Net(8, 3)
    compiled = torch.compile(model, backend="eager")
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    for epoch in range(args.epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(compiled(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
        sched.step()
        with tempfile.TemporaryDirectory() as tmp:
            torch.save({"model": model.state_dict(), "epoch": epoch}, os.path.join(tmp, "ckpt.pt"))


if __name__ == "__main__":
    main()
