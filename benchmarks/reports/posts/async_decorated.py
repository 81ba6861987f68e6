# a coroutine is compiled
import asyncio

import torch


@torch.compile(fullgraph=True, backend="eager")
async def infer(x):  #! error
    await asyncio.sleep(0)  #! error
    return x * 2


asyncio.run(infer(torch.randn(2)))  #! error
