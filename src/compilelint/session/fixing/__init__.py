"""Fixes: propose them, prove them with TorchDynamo, price them for `bench`, and `--what-if`."""
