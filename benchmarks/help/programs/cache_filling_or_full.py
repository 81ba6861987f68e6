# a cache is written to differently when it is full
# thread: NVIDIA/flashdreams#257: one path for both, with torch.sym_min for where to write
# help: sym_min | tensor | clamp | one path
import torch


class Cache:
    def __init__(self):
        self.kept = torch.zeros(8)
        self.count = 0

    def update(self, chunk):
        if self.count == 8:
            self.kept = torch.cat([self.kept[2:], chunk])
        else:
            self.kept[self.count : self.count + 2] = chunk
            self.count += 2
        return self.kept


cache = Cache()
update = torch.compile(cache.update, backend="eager")
for _ in range(6):
    update(torch.ones(2))  #! recompile state
