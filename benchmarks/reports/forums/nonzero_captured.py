# nonzero stands in one whole graph and its sizes are captured; pair_of=nonzero_in_graph
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


@torch.compile(backend="eager", fullgraph=True)
def keep(scores, thr):
    idx = torch.nonzero(scores > thr)
    return idx.flatten()


for _ in range(3):
    keep(torch.rand(8), 0.5)
