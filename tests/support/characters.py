"""Characters that change how a text is shown."""

from __future__ import annotations

BIDI = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
