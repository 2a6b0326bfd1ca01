// Keeps the figures of a page up to date while it is seen: the stream that it names has an object, data-live a path in it.
"use strict";
const place = document.querySelector("[data-stream]");
if (place && window.EventSource) {
  let stream = null;
  const show = (event) => {
    const figures = JSON.parse(event.data);
    for (const shown of document.querySelectorAll("[data-live]")) {
      const value = shown.dataset.live.split(".").reduce((part, name) => part?.[name], figures);
      if (value !== undefined) shown.textContent = value;
    }
  };
  const leave = () => {
    stream?.close();
    stream = null;
  };
  const follow = () => {
    if (document.visibilityState !== "visible") return leave();
    if (stream) return;
    stream = new EventSource(place.dataset.stream);
    stream.addEventListener("crawl", show);
  };
  document.addEventListener("visibilitychange", follow);
  window.addEventListener("pageshow", follow);
  window.addEventListener("pagehide", leave);
  follow();
}
