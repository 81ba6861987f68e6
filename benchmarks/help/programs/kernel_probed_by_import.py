# an attention backend is looked for by an import in the forward
# thread: PriorLabs/TabPFN#1166: choose the backend once, outside of the traced region
# help: outside | before | module | once | top
import torch


def backend():
    try:
        import flash_attention_that_is_not_installed as kernels  #! break
    except ImportError:
        return torch.nn.functional.scaled_dot_product_attention
    return kernels.attention


def attend(q, k, v):
    return backend()(q, k, v)


torch.manual_seed(0)
x = torch.randn(1, 2, 3, 4)
print(torch.compile(attend, backend="eager")(x, x, x).shape)
