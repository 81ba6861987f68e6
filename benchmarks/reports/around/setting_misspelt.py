# a setting of Dynamo that no version has
import torch
import torch._dynamo as dynamo

dynamo.config.supress_errors = True  #! error


@torch.compile(backend="eager")
def f(x):
    return x * 2


f(torch.ones(2))
