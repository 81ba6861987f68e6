# two phases in each epoch, as in the tutorial of transfer learning
import torch
from torch import nn


def train_model(model, dataloaders, criterion, optimizer, num_epochs=2):
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            if phase == "train":
                model.train()  #! recompile state
            else:
                model.eval()  #! recompile state
            for inputs, labels in dataloaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):  #! recompile state
                    outputs = model(inputs)  #! recompile state
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
    return model


net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
net = torch.compile(net, backend="eager")
data = [(torch.randn(4, 4), torch.randint(0, 3, (4,))) for _ in range(2)]
train_model(net, {"train": data, "val": data}, nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), lr=0.1))
