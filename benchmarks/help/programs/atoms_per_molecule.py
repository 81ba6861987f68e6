# atoms are counted per molecule by bincount
# thread: isayevlab/aimnetcentral#109: a scatter into a tensor of known size
# help: index_add | scatter_add | capture_dynamic_output_shape_ops | minlength
import torch


def mean_per_molecule(x, molecule):
    count = torch.bincount(molecule)  #! break
    out = x.new_zeros(count.shape[0]).index_add_(0, molecule, x)
    return out / count


fast = torch.compile(mean_per_molecule, backend="eager")
print(fast(torch.arange(5.0), torch.tensor([0, 0, 1, 1, 1])))
