import torch
from torch import nn

features = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2)).cuda().eval().requires_grad_(False)
extract = torch.compile(features, mode="reduce-overhead")
generator = nn.Conv2d(3, 3, 3, padding=1).cuda()
opt = torch.optim.Adam(generator.parameters(), 1e-3)
for _ in range(6):
    image = torch.rand(4, 3, 32, 32, device="cuda")
    with torch.no_grad():
        wanted = extract(image)
    got = extract(generator(image))
    loss = (got - wanted).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
