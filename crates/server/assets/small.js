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

addEventListener("dragover", (event) => {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
});
addEventListener("drop", async (event) => {
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  sessionStorage.setItem("record", await file.text());
  location.assign("/replay");
});

// What somebody played last is offered first.
for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('.quick input[type="radio"]'))) {
  if (setting(`last-${input.name}`) === input.value) input.checked = true;
  input.addEventListener("change", () => choose(`last-${input.name}`, input.value));
}
