import torch
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(
    hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
    vocab_size=200, max_position_embeddings=128, use_cache=False,
)
model = torch.compile(LlamaForCausalLM(config).cuda().eval(), mode="reduce-overhead")


@torch.no_grad()
def contrast(ids, negative, scale=1.5):
    with_prompt = model(input_ids=ids).logits[:, -1]
    without = model(input_ids=negative).logits[:, -1]
    return (without + scale * (with_prompt - without)).argmax(-1)


for _ in range(5):
    print(contrast(torch.randint(0, 200, (2, 16), device="cuda"), torch.randint(0, 200, (2, 16), device="cuda")))
