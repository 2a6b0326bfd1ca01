// Writes a term with its weight, category and synonyms into the text of a topic, or takes it out; the rest of the text stays.
"use strict";
{
  const form = document.getElementById("term");
  const text = document.getElementById("text");
  const KEY = /^\s*("(?:[^"\\]|\\.)*"|[\w-]+)\s*=/;
  const TABLE = /^\s*\[\s*(.+?)\s*\]\s*(?:#.*)?$/;
  const plain = (name) => (name.startsWith('"') ? JSON.parse(name) : name);
  const categoryOf = (table) => (table.startsWith("terms.") ? plain(table.slice(6).trim()) : null);

  const written = (profile, word, category, value) => {
    const lines = [];
    let now = null;
    let place = -1;
    for (const line of profile.split("\n")) {
      const table = TABLE.exec(line)?.[1];
      const key = now === null ? null : KEY.exec(line)?.[1];
      if (table) now = categoryOf(table);
      const isOld = !table && key && plain(key) === word;
      if (!isOld) lines.push(line);
      if (now === category && (table || isOld)) place = lines.length;
    }
    if (value === null) return lines.join("\n");
    if (place < 0) place = lines.push("", `[terms.${JSON.stringify(category)}]`);
    lines.splice(place, 0, `${JSON.stringify(word)} = ${value}`);
    return lines.join("\n");
  };
  const field = (name) => form.querySelector(`[name=${name}]`);
  const change = (removes) => {
    const fields = ["word", ...(removes ? [] : ["category", "weight"])].map(field);
    if (!fields.every((one) => one.reportValidity())) return;
    const synonyms = field("synonyms").value.split(/[、，,;；\s]+/).filter(Boolean).map((one) => JSON.stringify(one));
    const weight = field("weight").value;
    const value = synonyms.length ? `{ weight = ${weight}, synonyms = [${synonyms.join(", ")}] }` : weight;
    const [word, category] = [field("word").value.trim(), field("category").value.trim()];
    text.value = written(text.value, word, category, removes ? null : value);
    const at = text.value.indexOf(`${JSON.stringify(word)} = `);
    if (at >= 0) text.setSelectionRange(at, at + word.length + 2);
    text.focus();
  };
  if (form) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    document.getElementById("write-term").addEventListener("click", () => change(false));
    document.getElementById("remove-term").addEventListener("click", () => change(true));
  }
}
