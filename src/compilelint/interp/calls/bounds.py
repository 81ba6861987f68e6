"""How much is run for one question: contexts of a function, calls in calls, bodies for a root and for a host."""

from __future__ import annotations

MAX_CONTEXTS = 8
MAX_FAR_CONTEXTS = 2  # of a function that lies beyond the part of the project at work
MAX_PROPERTY_CONTEXTS = 64  # of a property, whose answer is its object's: a base class has one for all its subclasses
MAX_CHOOSER_CONTEXTS = 64  # of a small function that is given a function: its answer is the caller's own
MAX_HOST_CONTEXTS = 400  # of a function in hosts: a test suite hands each of its functions to one helper
MAX_EXACT_CONTEXTS = 3  # with numbers and sizes kept apart, where what is compiled is called in the text
MAX_DEPTH = 20  # calls in calls; beyond, a question whether we are compiling would go unanswered
SMALL = 8  # statements of a function whose own answer for each caller costs little
MOST_SETTLING = 3  # calls below a constructor that are followed for what it settles
# Function bodies run for one root: in libraries that are merely followed, and in all.
MAX_FOREIGN_BODIES = 1_500
MAX_BODIES = 20_000
MAX_HOST_BODIES = 300  # for one host
