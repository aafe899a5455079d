// rk-theme and rk-copy, what was played last, and records that are dropped onto any page.
// @ts-check
import { copy } from "./copy.js";
import { choose, setting } from "./settings.js";

class Theme extends HTMLElement {
  connectedCallback() {
    this.querySelector("button")?.addEventListener("click", () => {
      const root = document.documentElement;
      const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
      document.cookie = `theme=${root.dataset.theme};path=/;max-age=31536000;samesite=lax`;
    });
  }
}

class Copy extends HTMLElement {
  connectedCallback() {
    const text = () => this.querySelector("code")?.textContent ?? "";
    for (const button of this.querySelectorAll("button")) {
      const shares = "share" in button.dataset;
      button.hidden = shares && !navigator.share;
      button.addEventListener("click", async () => {
        if (shares) return navigator.share({ url: text() }).catch(() => {});
        if (!(await copy(text()))) return this.#select();
        button.classList.add("done");
        setTimeout(() => button.classList.remove("done"), 1500);
      });
    }
  }

  /** Where nothing can be copied, the text is selected: the keys for copying are left. */
  #select() {
    const code = this.querySelector("code");
    if (code) getSelection()?.selectAllChildren(code);
  }
}

customElements.define("rk-theme", Theme);
customElements.define("rk-copy", Copy);

/** The largest record that is read, in bytes: the server takes no more. */
export const MOST = 4 << 20;
export const TOO_LARGE = "This file is too large for a record; expected at most 4 MiB.";

addEventListener("dragover", (event) => {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
});
addEventListener("drop", async (event) => {
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  const problem = await handOver(file);
  if (problem) complain(problem);
  else location.assign("/replay");
});

/** Keeps a record for the page that shows it. @param {File} file @returns {Promise<string>} why it cannot be shown; nothing if it can */
async function handOver(file) {
  if (file.size > MOST) return TOO_LARGE;
  if (!navigator.onLine) return "You are offline. Drop the record again when there is a connection.";
  try {
    sessionStorage.setItem("record", await file.text());
    return "";
  } catch {
    return "This file cannot be read or kept by the browser. Choose it at Records, below on every page.";
  }
}

/** What is wrong with a file stands above all that the page shows. @param {string} problem */
function complain(problem) {
  const note = document.querySelector('[data-part="dropped"]') ?? document.createElement("p");
  note.className = "note bad";
  note.setAttribute("data-part", "dropped");
  note.setAttribute("role", "alert");
  document.querySelector("main")?.prepend(note);
  note.textContent = problem;
  note.scrollIntoView({ block: "center" });
}

// What somebody played last is offered first.
for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('.quick input[type="radio"]'))) {
  if (setting(`last-${input.name}`) === input.value) input.checked = true;
  input.addEventListener("change", () => choose(`last-${input.name}`, input.value));
}
