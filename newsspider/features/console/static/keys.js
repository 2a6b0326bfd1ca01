// Keys for the entries of a list: the one that has the focus, or those that are checked, is what a key is for.
"use strict";
{
  const ITEMS = ".entries > li, .rows > li:not(.cluster), .chain > li";
  const OFF = "keys-off", PLACE = "keys-place";
  const dialog = document.getElementById("keys");
  const opener = document.getElementById("show-keys");
  const items = () => [...document.querySelectorAll(ITEMS)];
  const current = () => document.activeElement?.closest(ITEMS) ?? null;
  const picks = () => [...document.querySelectorAll(".pick input")];

  const select = (item) => {
    const place = item?.querySelector("h3 a") ?? item;
    if (!place) return;
    if (place === item) item.tabIndex = -1;
    place.focus();
    item.scrollIntoView({ block: "nearest" });
  };
  const move = (step) => {
    const all = items();
    const at = all.indexOf(current());
    select(all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)]);
  };
  // The page that a form answers with is the same list again: the next entry is selected there.
  const remember = (item) => {
    const link = item?.querySelector("a")?.getAttribute("href") ?? "";
    sessionStorage.setItem(PLACE, JSON.stringify({ path: location.pathname, link, at: items().indexOf(item) }));
  };
  const recall = () => {
    const place = JSON.parse(sessionStorage.getItem(PLACE) ?? "null");
    sessionStorage.removeItem(PLACE);
    if (place?.path !== location.pathname || place.at < 0) return;
    const all = items();
    const still = all.findIndex((item) => item.querySelector("a")?.getAttribute("href") === place.link);
    select(all[Math.min(still < 0 ? place.at : still + 1, all.length - 1)]);
  };
  const press = (key) => {
    const item = current();
    const own = item
      ? item.querySelector(`form:not(#picked) [data-key="${key}"]`)
      : document.querySelector(`:is(#label, #marks) [data-key="${key}"]`);
    const pick = item?.querySelector(".pick input");
    if (!own && pick && !picks().some((other) => other.checked)) pick.checked = true;
    const button = own ?? document.querySelector(`#picked [data-key="${key}"]`);
    if (!button || (!own && !picks().some((other) => other.checked))) return;
    remember(item);
    button.click();
  };
  const actions = {
    j: () => move(1),
    k: () => move(-1),
    o: () => current()?.querySelector("a")?.click(),
    x: () => current()?.querySelector("[type=checkbox]")?.click(),
    y: () => press("y"),
    n: () => press("n"),
    s: () => press("s"),
    f: () => press("f"),
    r: () => press("r"),
    d: () => press("d"),
    "/": () => (document.querySelector("main [type=search]") ?? document.querySelector("[type=search]"))?.focus(),
    "?": () => dialog.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const isText = event.target.closest?.("textarea, select, input:not([type=checkbox], [type=radio])");
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isText || dialog.open) return;
    if (!Object.hasOwn(actions, event.key) || (localStorage.getItem(OFF) && event.key !== "?")) return;
    event.preventDefault();
    actions[event.key]();
  });
  const used = dialog?.querySelector("[type=checkbox]");
  if (used) {
    used.checked = !localStorage.getItem(OFF);
    used.addEventListener("change", () => (used.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1")));
    opener.hidden = false;
    opener.addEventListener("click", () => dialog.showModal());
    window.addEventListener("load", () => requestAnimationFrame(recall)); // after the browser has gone to the fragment
  }
}
