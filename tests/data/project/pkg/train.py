import torch

from pkg.model import Net, loss

torch._dynamo.config.capture_scalar_outputs = True


def choose(name):
    return {"net": Net, "loss": loss}[name]


def main(name, steps: int):
    model = torch.compile(Net(), mode="reduce-overhead")
    compiled_loss = torch.compile(loss, fullgraph=True)
    other = torch.compile(choose(name)())
    for step in range(steps):
        out = model(torch.randn(step + 1, 3))
        value = compiled_loss(out[0], out[0])
        other(out[0])
        print(step, value)
    torch.save(model.state_dict(), "net.pt")
    return model


@torch.compile(dynamic=True)
def decorated(x, flag: bool = False):
    if flag:
        return x.tolist()
    return torch.from_numpy(x.numpy()).to("cuda")
