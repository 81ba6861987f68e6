import torch
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

config = LlamaConfig(
    hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
    vocab_size=200, max_position_embeddings=128,
)
model = LlamaForCausalLM(config).cuda().eval()


def decode_one(model, token, position, cache):
    logits = model(token, cache_position=position, past_key_values=cache, use_cache=True, return_dict=False)[0]
    return logits[:, -1].argmax(-1, keepdim=True)


decode = torch.compile(decode_one, mode="reduce-overhead", fullgraph=True)
prompt = torch.randint(0, 200, (1, 8), device="cuda")
cache = StaticCache(config=config, max_cache_len=64)
with torch.no_grad():
    position = torch.arange(8, device="cuda")
    logits = model(prompt, cache_position=position, past_key_values=cache, use_cache=True, return_dict=False)[0]
    token = logits[:, -1].argmax(-1, keepdim=True)
    tokens = [token]
    position = torch.tensor([8], device="cuda")
    for _ in range(8):
        token = decode(model, token.clone(), position, cache).clone()
        tokens.append(token)
        position = position + 1
print(torch.cat(tokens, 1).tolist())
