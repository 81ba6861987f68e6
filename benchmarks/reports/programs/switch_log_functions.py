# the logger is named to Dynamo
import logging

import torch
import torch._dynamo

log = logging.getLogger("train")
torch._dynamo.config.ignore_logging_functions.add(log.info)


@torch.compile(backend="eager")
def f(x):
    log.info("in f")
    return x + 1


f(torch.randn(3))
