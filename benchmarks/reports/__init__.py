"""Programs in the form in which users report trouble with `torch.compile`, what they do, and what is found of it."""
