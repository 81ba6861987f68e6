# a disabled helper is called in a compiled loop beside a print that is reordered
import torch

torch._dynamo.config.reorderable_logging_functions.add(print)


@torch.compile(backend="eager")
def steps(x, log):
    for i in range(2):
        print("step", i)
        log(i)  #! break
        x = x + 1
    return x


@torch.compiler.disable
def log(i):
    print("logged", i)


steps(torch.zeros(1), log)
