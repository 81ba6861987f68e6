# forces are the gradient of an energy by detached positions
# thread: pytorch/pytorch#170487: take the gradient by torch.func.grad, or outside of the compiled function
# help: torch.func.grad | func.grad | outside | trace_autograd_ops | eager
import torch


@torch.compile(backend="eager")
def forces(positions):
    with torch.enable_grad():
        x = positions.detach().requires_grad_(True)  #! break
        energy = (x**2).sum()
        return -torch.autograd.grad(energy, x)[0]  #! break


print(forces(torch.ones(3)))
