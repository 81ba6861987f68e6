"""How many graphs a root comes to: what the lint expects, held against what TorchDynamo compiled."""
