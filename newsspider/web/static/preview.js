// Tries the rules again as soon as one has changed, once somebody has asked for a preview; pages are fetched only once.
"use strict";
const form = document.querySelector("form.rules");
let asked = null;
form?.addEventListener("change", async () => {
  const shown = document.getElementById("preview");
  if (!shown?.querySelector("h2")) return;
  asked?.abort();
  asked = new AbortController();
  const fields = new URLSearchParams(new FormData(form));
  fields.delete("again");
  shown.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, signal: asked.signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("preview");
    if (fresh?.querySelector("h2")) shown.replaceChildren(...fresh.childNodes);
    else shown.replaceChildren(...page.querySelectorAll("main .wrong, main [id$=-wrong]"));
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  } finally {
    shown.removeAttribute("aria-busy");
  }
});
