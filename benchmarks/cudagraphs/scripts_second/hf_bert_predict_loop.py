import torch
from transformers import BertConfig, BertForSequenceClassification

config = BertConfig(
    hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128, vocab_size=200, num_labels=3
)
model = BertForSequenceClassification(config).cuda().eval()
model = torch.compile(model, mode="reduce-overhead")


@torch.no_grad()
def predict(batches):
    logits = []
    for batch in batches:
        out = model(**batch)
        logits.append(out.logits)
    return torch.cat(logits)


batches = []
for _ in range(6):
    ids = torch.randint(0, 200, (4, 32), device="cuda")
    batches.append({"input_ids": ids, "attention_mask": torch.ones_like(ids)})
print(predict(batches).argmax(-1).tolist())
