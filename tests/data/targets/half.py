class Half(
