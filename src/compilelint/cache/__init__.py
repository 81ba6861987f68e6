"""What earlier runs came to, kept on disk: a bounded store of texts, and findings as text.

A store that is lost, damaged or written by someone else costs time, never a wrong answer. What an entry depends on is
known to the maker of its key (`session.incremental.run_cache`).
"""

from __future__ import annotations

from compilelint.cache.encoding import NoFindingError, decoded, decoded_fix, encoded, encoded_fix
from compilelint.cache.store import MOST_BYTES, Store, store_in

__all__ = ["MOST_BYTES", "NoFindingError", "Store", "decoded", "decoded_fix", "encoded", "encoded_fix", "store_in"]
