import os, torch, torch.distributed as dist
rank=int(os.environ.get("RANK","0")); torch.cuda.set_device(rank)
dist.init_process_group("nccl")
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.l=torch.nn.Linear(16,16); self.n=0
    def forward(self,x,w):
        x=self.l(x)
        if rank==1 and self.training: x=x*2
        if x.sum()>0: x=x+1
        return x+w.to(x.device)
m=torch.nn.parallel.DistributedDataParallel(Net().cuda())
c=torch.compile(m,mode="reduce-overhead")
@torch.compile(mode="reduce-overhead")
def mixed(x,y): return x*2+y.sum(), y+1
@torch.compile(mode="reduce-overhead")
def mutated(x):
    x.add_(1); return x*2
