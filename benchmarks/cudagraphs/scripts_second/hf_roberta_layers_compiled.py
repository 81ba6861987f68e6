import torch
from transformers import RobertaConfig, RobertaForSequenceClassification

config = RobertaConfig(
    hidden_size=64, num_hidden_layers=3, num_attention_heads=2, intermediate_size=128, vocab_size=200, num_labels=3,
    max_position_embeddings=66,
)
model = RobertaForSequenceClassification(config).cuda().eval()
for layer in model.roberta.encoder.layer:
    layer.compile(mode="reduce-overhead")
with torch.no_grad():
    for _ in range(5):
        ids = torch.randint(3, 200, (2, 32), device="cuda")
        print(model(input_ids=ids).logits.argmax(-1).tolist())
