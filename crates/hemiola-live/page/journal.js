// What happened to a robot, in words.

import { duration, number } from "./format.js";

/** @typedef {"message" | "change" | "exceedance" | "mark"} Category */

/** An entry of the journal, as a line. `kind` is a colour.
 * @param {any} entry @returns {{category: Category, kind: "good" | "warning" | "bad" | "muted" | "accent", about: string, text: string}} */
export function entryText(entry) {
  if (entry.message) {
    const { severity, about, text } = entry.message;
    const level = String(severity ?? "").toLowerCase();
    return { category: "message", kind: level === "error" ? "bad" : level === "warning" ? "warning" : "muted", about: about ? String(typeof about === "object" ? Object.values(about)[0] : about) : "", text: String(text ?? "") };
  }
  if (entry.exceedance) {
    const { text, of, run, bound, observed, cause } = entry.exceedance;
    const facts = [number(observed) === null ? "" : `${duration(observed)} observed`, number(bound) === null ? "" : `${duration(bound)} at most`].filter(Boolean).join(", ");
    return { category: "exceedance", kind: "warning", about: boundedText(of) + (number(run) === null ? "" : `, run ${run}`), text: [text ? String(text) : facts, typeof cause === "string" && !String(text).includes(cause) ? cause : ""].filter(Boolean).join("; ") };
  }
  if (entry.mark !== undefined) return { category: "mark", kind: "accent", about: String(entry.mark?.by ?? ""), text: String(entry.mark?.text ?? entry.mark) };
  if (entry.change) return { category: "change", kind: "good", about: String(entry.change.by ?? entry.by ?? ""), text: String(entry.change.text ?? changeText(changeOf(entry))) };
  return { category: "message", kind: "muted", about: "", text: JSON.stringify(entry) };
}

/** @param {any} change */
function changeText(change) {
  if (change.parameter) return `${change.parameter.module}.${change.parameter.name ?? change.parameter.parameter} = ${JSON.stringify(change.parameter.value)}`;
  if (change.provider) return `${change.provider.representation} is provided by ${change.provider.module}`;
  if (change.override) return `${change.override.representation} is overridden`;
  if (change.release) return `${change.release.representation} is released`;
  if (change.workers) return `${change.workers.cycle} runs on ${change.workers.workers ?? "as many as the plan chooses"} workers`;
  if (change.restart) return `${change.restart.module} is restarted`;
  if (change.trace) return change.trace.file ? `a trace goes to ${change.trace.file}` : "the trace ends";
  if ("safe_state" in change) return change.safe_state ? "the robot enters its safe state" : "the robot leaves its safe state";
  return JSON.stringify(change);
}

/** The change of an entry, or nothing. @param {any} entry */
export function changeOf(entry) {
  return entry.change?.change ?? entry.change ?? null;
}

/** What has a bound: `{response: "motion"}`, `{reaction: [source, output]}` and the like.
 * @param {any} of */
export function boundedText(of) {
  if (typeof of !== "object" || of === null) return String(of ?? "");
  const [[kind, names] = ["", ""]] = Object.entries(of);
  const words = Array.isArray(names) ? names.join(kind === "callback" ? " " : " → ") : String(names);
  return `${words} ${kind.replace("_", " ")}`;
}
