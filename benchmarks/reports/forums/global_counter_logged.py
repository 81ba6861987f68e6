# a global counter is only logged; pair_of=global_counter_read
import torch

step = 0
weight = torch.randn(4, 4, requires_grad=True)


@torch.compile(backend="eager")
def loss_fn(x):
    return (x @ weight).square().mean() + weight.abs().sum()


for _ in range(5):
    loss = loss_fn(torch.randn(2, 4))
    loss.backward()
    if step % 4 == 0:
        print(f"step {step}")
    step += 1
