# flash attention is asked for only where the mask has a zero
# thread: huggingface/transformers#37944: decide by the collator, not in the forward; or pass the mask always
# help: always | outside | pass | before
import torch


def attend(q, k, v, attention_mask):
    if attention_mask is not None and 0.0 in attention_mask:  #! break
        bias = (1.0 - attention_mask[:, None, None, :]) * -1e4
    else:
        bias = None
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)


torch.manual_seed(0)
x = torch.randn(1, 2, 3, 4)
fast = torch.compile(attend, backend="eager")
print(fast(x, x, x, torch.tensor([[1.0, 1.0, 0.0]])))
