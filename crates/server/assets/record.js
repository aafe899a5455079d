// rk-record: a record from a file. The server reads it with all its checks, and keeps it for a while so that it can be reviewed.
// @ts-check
import { ask } from "./ask.js";
import "./match.js";
import { part, write } from "./panel.js";
import { MOST, TOO_LARGE } from "./small.js";

/** @import { Match } from "./match.js" */

class RecordFile extends HTMLElement {
  connectedCallback() {
    const input = this.querySelector("input");
    input?.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) this.#try(this.#chosen(file));
    });
    const dropped = taken();
    if (dropped) this.#try(this.#read(dropped));
  }

  /** What went wrong is said. @param {Promise<void>} done */
  async #try(done) {
    const problem = part(this, "problem");
    if (problem) problem.hidden = true;
    try {
      await done;
    } catch (error) {
      if (problem) problem.hidden = false;
      write(problem, /** @type {Error} */ (error).message);
    }
  }

  /** @param {File} file */
  async #chosen(file) {
    if (file.size > MOST) throw new Error(TOO_LARGE);
    const text = await file.text().catch(() => null);
    if (text === null) throw new Error("This file cannot be read. Choose it again.");
    await this.#read(text);
  }

  /** @param {string} text */
  async #read(text) {
    const read = await ask("/api/v1/records", { method: "POST", body: text, headers: { "Content-Type": "application/jsonl" } });
    const shown = document.createElement("template");
    shown.innerHTML = read.page;
    this.replaceChildren(shown.content);
    const match = /** @type {Match | null} */ (this.querySelector("rk-match"));
    match?.open(read);
  }
}

/** What was dropped onto another page; it is shown once. */
function taken() {
  try {
    const dropped = sessionStorage.getItem("record");
    sessionStorage.removeItem("record");
    return dropped;
  } catch {
    return null;
  }
}

customElements.define("rk-record", RecordFile);
