# a note on the kernel is logged once
# thread: meta-pytorch/torchtune#2771: log when the model is built, not in its forward
# help: outside | __init__ | built | ignore_logging_functions
import logging

import torch

log = logging.getLogger(__name__)
seen = set()


def log_once(message):
    if message not in seen:
        log.info(message)  #! break
        seen.add(message)


def attend(q, k, v):
    log_once("using the fast kernel")
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


torch.manual_seed(0)
x = torch.randn(1, 2, 3, 4)
print(torch.compile(attend, backend="eager")(x, x, x).shape)
