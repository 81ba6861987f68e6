# an entry is added to a batch that has more or fewer entries
# thread: pytorch/tensordict#1606: the number of keys is guarded where one is added: return the new entry, or add it outside
# help: keys | entries | entry | return | outside
import torch


@torch.compile(backend="eager")
def with_loss(batch):
    batch["loss"] = (batch["logits"] - batch["labels"]).square().mean()  #! recompile input
    return batch["loss"]


for extra in range(4):
    batch = {"logits": torch.ones(3), "labels": torch.zeros(3)}
    batch |= {f"note{number}": torch.zeros(1) for number in range(extra)}
    print(with_loss(batch))  #! recompile input
