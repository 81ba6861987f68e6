# a logger warns in the forward
# thread: tenstorrent/tt-torch#852: torch._dynamo.config.ignore_logging_functions, or log outside of the model
# help: ignore_logging_functions | ignore_logger_methods | outside | reorderable_logging_functions
import logging

import torch

logger = logging.getLogger(__name__)


def prepare(ids, pad_token):
    if pad_token is None:
        logger.warning("Setting `pad_token_id` to 0 for open-end generation.")  #! break
        pad_token = 0
    return torch.where(ids < 0, pad_token, ids)


fast = torch.compile(prepare, backend="eager", fullgraph=False)
print(fast(torch.tensor([1, -1]), None))
