// Tries the rules again as soon as one has changed, once somebody has asked for a preview; pages are fetched only once.
"use strict";
const form = document.querySelector("form.rules");
let asked = null;
let isOn = Boolean(document.querySelector("#preview h2"));
const pause = (seconds, signal) => new Promise((done, failed) => {
  setTimeout(done, seconds * 1000);
  signal.addEventListener("abort", () => failed(signal.reason));
});
async function answerTo(fields, signal) {
  for (;;) {
    const answer = await fetch(form.action, { method: "POST", body: fields, signal });
    if (answer.status !== 429) return answer;
    await pause(Number(answer.headers.get("Retry-After")) || 5, signal);
  }
}
form?.addEventListener("change", async () => {
  const shown = document.getElementById("preview");
  if (!shown || !isOn) return;
  asked?.abort();
  asked = new AbortController();
  const { signal } = asked;
  const fields = new URLSearchParams(new FormData(form));
  fields.delete("again");
  shown.setAttribute("aria-busy", "true");
  try {
    const answer = await answerTo(fields, signal);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("preview");
    form.elements.article.value ||= page.getElementById("article")?.value ?? "";
    if (fresh?.querySelector("h2")) shown.replaceChildren(...fresh.childNodes);
    else shown.replaceChildren(...page.querySelectorAll("main .wrong, main [id$=-wrong]"));
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  } finally {
    if (!signal.aborted) shown.removeAttribute("aria-busy");
  }
});
