"""Names an article's body and its snapshot by what is in them."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

from itemadapter import ItemAdapter

from newsspider.core.fingerprint import body_md5


class FingerprintPipeline:
    """Gives an article the MD5 of its normalised body, by which exact reprints are known, and its snapshot's SHA-256.

    A page that asks not to be archived (``noarchive``) comes without content and gets no snapshot; the further page
    of an article brings that of its first.
    """

    def process_item(self, item: Any) -> Any:
        page = ItemAdapter(item)
        if page.get("article") is not None:
            record = ItemAdapter(page["article"])
            record["body_md5"] = body_md5(record["text"])
            if record["content"]:
                record["snapshot"] = hashlib.sha256(record["content"]).hexdigest()
            page["settlement"] = dataclasses.replace(page["settlement"], body_hash=record["body_md5"])
        return item
