"""What every rewrite stands on: code around a finding, edits, imports, purity, known tensors, writing files."""
