# a sampler runs while its time, a tensor, is not over
# thread: huggingface/lerobot#2600: a for loop over the known number of steps
# help: for | range | number of steps | while_loop
import torch


def denoise(x, steps):
    dt = torch.tensor(-1.0 / steps)
    time = torch.tensor(1.0)
    while time >= -dt / 2:  #! break
        x = x + dt * x * time
        time = time + dt
    return x


print(torch.compile(denoise, backend="eager")(torch.ones(2), 4))
