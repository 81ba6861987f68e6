"""The side of a measurement that holds the model: prepares one variant, then times it round by round when asked.

With `dynamic.worker` the only place that imports torch; it starts from that worker's own beginnings.
"""
