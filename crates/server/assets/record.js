// rk-record: a record from a file. The server reads it with all its checks; nothing of it is kept.
// @ts-check
import "./match.js";
import { part, write } from "./panel.js";

/** @import { Match } from "./match.js" */

/** The largest record that is sent. */
const MOST = 4 << 20;

class RecordFile extends HTMLElement {
  connectedCallback() {
    const input = this.querySelector("input");
    input?.addEventListener("change", async () => this.#read((await input.files?.[0]?.text()) ?? ""));
    const dropped = sessionStorage.getItem("record");
    sessionStorage.removeItem("record");
    if (dropped) this.#read(dropped);
  }

  /** @param {string} text */
  async #read(text) {
    if (text.length > MOST) return this.#refuse("This file is too large for a record; expected at most 4 MiB.");
    const answer = await fetch("/api/v1/records", { method: "POST", body: text, headers: { "Content-Type": "application/jsonl" } });
    const read = await answer.json();
    if (!answer.ok) return this.#refuse(read.error?.message ?? "This record cannot be read.");
    const shown = document.createElement("template");
    shown.innerHTML = read.page;
    this.replaceChildren(shown.content);
    const match = /** @type {Match | null} */ (this.querySelector("rk-match"));
    match?.open(read);
  }

  /** @param {string} why */
  #refuse(why) {
    const problem = part(this, "problem");
    if (problem) problem.hidden = false;
    write(problem, why);
  }
}

customElements.define("rk-record", RecordFile);
