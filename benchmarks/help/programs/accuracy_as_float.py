# an accuracy is made a float in the loss
# thread: sgl-project/SpecForge#222: keep the sums as tensors, divide them, and read the number after the step
# help: keep | leave | tensor; after | outside
import torch


def loss_and_accuracy(logits, target, mask):
    correct = (logits.argmax(-1) == target) * mask
    accuracy = correct.sum().item() / (mask.sum().item() + 1e-6)  #! break
    loss = (torch.nn.functional.cross_entropy(logits.transpose(1, 2), target, reduction="none") * mask).mean()
    return loss, accuracy


step = torch.compile(loss_and_accuracy, backend="eager")
torch.manual_seed(0)
print(step(torch.randn(2, 5, 7), torch.randint(0, 7, (2, 5)), torch.ones(2, 5)))
