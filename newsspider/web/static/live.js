// Keeps the figures of a page up to date: the stream that the page names has an object, data-live a path in it.
"use strict";
const place = document.querySelector("[data-stream]");
if (place && window.EventSource) {
  const stream = new EventSource(place.dataset.stream);
  stream.addEventListener("crawl", (event) => {
    const figures = JSON.parse(event.data);
    for (const shown of document.querySelectorAll("[data-live]")) {
      const value = shown.dataset.live.split(".").reduce((part, name) => part?.[name], figures);
      if (value !== undefined) shown.textContent = value;
    }
  });
  window.addEventListener("pagehide", () => stream.close());
}
