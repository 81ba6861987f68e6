# a switch is read from a config object that changes type
# thread: axolotl-ai-cloud/axolotl#3788: decide once, before compiling
# help: before | outside | once
import uuid

import torch


def tagged(x):
    tag = uuid.uuid4().int % 2  #! break
    return x + tag * 0


fast = torch.compile(tagged, backend="eager")
print(fast(torch.ones(2)))
