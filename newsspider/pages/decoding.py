"""The text of a response, decoded as the reader decodes it: by its bytes, not only by what its headers say."""

from __future__ import annotations

from typing import TypeVar

from scrapy.http import Response, TextResponse

from newsspider.core.extraction.dom.charset import decode
from newsspider.pages.article_item import content_type_of

AnyResponse = TypeVar("AnyResponse", bound=Response)


def decoded(response: AnyResponse, default_charset: str) -> AnyResponse:
    """The same response with the encoding that the reader finds; one without text as it is."""
    if not isinstance(response, TextResponse) or not response.body:
        return response
    return response.replace(encoding=decode(response.body, content_type_of(response), default_charset).charset)
