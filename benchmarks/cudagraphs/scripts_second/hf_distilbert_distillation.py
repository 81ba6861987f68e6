import torch
import torch.nn.functional as F
from transformers import BertConfig, BertForSequenceClassification, DistilBertConfig, DistilBertForSequenceClassification

teacher = BertForSequenceClassification(BertConfig(
    hidden_size=64, num_hidden_layers=3, num_attention_heads=2, intermediate_size=128, vocab_size=200, num_labels=3
)).cuda().eval()
student = DistilBertForSequenceClassification(DistilBertConfig(
    dim=64, n_layers=2, n_heads=2, hidden_dim=128, vocab_size=200, num_labels=3
)).cuda().train()
teacher_fn = torch.compile(teacher, mode="reduce-overhead")
student_fn = torch.compile(student, mode="reduce-overhead")
optimizer = torch.optim.AdamW(student.parameters(), 1e-4)
for _ in range(5):
    ids = torch.randint(0, 200, (4, 32), device="cuda")
    with torch.no_grad():
        wanted = teacher_fn(input_ids=ids).logits
    got = student_fn(input_ids=ids).logits
    loss = F.kl_div(got.log_softmax(-1), wanted.softmax(-1), reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
