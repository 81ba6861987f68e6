# a length regulator repeats frames by predicted durations
# thread: coqui-ai/TTS: output_size of repeat_interleave, or a mask of a fixed length
# help: output_size | mask | capture_dynamic_output_shape_ops
import torch


def regulate(x, durations):
    return torch.repeat_interleave(x, durations, dim=0) * 2  #! break


fast = torch.compile(regulate, backend="eager")
print(fast(torch.arange(3.0), torch.tensor([1, 2, 1])))
