# the coroutine calls a compiled function; pair_of=async_decorated
import asyncio

import torch


@torch.compile(fullgraph=True, backend="eager")
def double(x):
    return x * 2


async def infer(x):
    await asyncio.sleep(0)
    return double(x)


for _ in range(2):
    asyncio.run(infer(torch.randn(2)))
