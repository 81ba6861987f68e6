import torch
from transformers import BertConfig, BertModel

config = BertConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128, vocab_size=200)
model = BertModel(config, add_pooling_layer=False).cuda().eval()
model.forward = torch.compile(model.forward, mode="reduce-overhead")
index = {}
with torch.inference_mode():
    for start in range(0, 24, 4):
        ids = torch.randint(0, 200, (4, 32), device="cuda")
        hidden = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        for i in range(4):
            index[start + i] = hidden[i, 0]
table = torch.stack([index[i] for i in sorted(index)])
print((table @ table.t()).argmax(-1).tolist())
