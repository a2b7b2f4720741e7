// The texts of journal entries.

/** @typedef {"message" | "change" | "exceedance" | "mark"} Category */

/** An entry of the journal, as a line. `kind` is a colour.
 * @param {any} entry @returns {{category: Category, kind: "good" | "warning" | "bad" | "muted" | "accent", about: string, text: string}} */
export function entryText({ message, change, exceedance, mark }) {
  if (message) {
    const { severity, about, text } = message;
    return { category: "message", kind: severity === "error" ? "bad" : severity === "warning" ? "warning" : "muted", about, text };
  }
  if (exceedance) {
    const { text, of, run, cause } = exceedance;
    return { category: "exceedance", kind: "warning", about: `${boundedText(of)}, run ${run}`, text: text.includes(cause) ? text : `${text}; ${cause}` };
  }
  if (change) return { category: "change", kind: "good", about: change.by ?? "", text: change.text };
  return { category: "mark", kind: "accent", about: mark.by ?? "", text: mark.text };
}

/** The change of an entry, or nothing. @param {any} entry */
export function changeOf(entry) {
  return entry.change?.change;
}

/** The text for something that has a bound: `{response: "motion"}`, `{reaction: [source, output]}` and the like.
 * @param {any} of */
export function boundedText(of) {
  if (typeof of !== "object" || of === null) return String(of ?? "");
  const [[kind, names] = ["", ""]] = Object.entries(of);
  const words = Array.isArray(names) ? names.join(kind === "callback" ? " " : " → ") : String(names);
  return `${words} ${kind.replace("_", " ")}`;
}
