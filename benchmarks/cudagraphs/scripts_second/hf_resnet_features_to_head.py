import torch
from torch import nn
from transformers import ResNetConfig, ResNetModel

backbone = ResNetModel(ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], layer_type="basic"))
backbone = backbone.cuda().eval().requires_grad_(False)
extract = torch.compile(backbone, mode="reduce-overhead")
head = nn.Linear(32, 4).cuda()
optimizer = torch.optim.SGD(head.parameters(), 0.1)
for _ in range(8):
    images, labels = torch.randn(8, 3, 32, 32, device="cuda"), torch.randint(0, 4, (8,), device="cuda")
    with torch.no_grad():
        features = extract(pixel_values=images).pooler_output.flatten(1)
    loss = nn.functional.cross_entropy(head(features), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
