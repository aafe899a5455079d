// rk-tournament, rk-new-tournament: what the server draws is asked for again, and only what has changed is put in its place.
// @ts-check

/**
 * Puts the parts of a newer page in the place of those that are shown.
 * @param {HTMLElement} root
 * @param {string} text
 */
export function refresh(root, text) {
  const newer = new DOMParser().parseFromString(text, "text/html");
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-live]"))) {
    const other = newer.querySelector(`[data-live="${part.dataset.live}"]`);
    const focused = part.contains(document.activeElement) ? document.activeElement?.id : null;
    // What has the focus and no name to be found by again stays as it is.
    if (!other || other.innerHTML === part.innerHTML || focused === "") continue;
    const open = [...part.querySelectorAll("details")].map((details) => details.open);
    const chosen = [...part.querySelectorAll(".kswitch :checked")].map(({ id }) => id);
    part.replaceChildren(...other.childNodes);
    for (const id of chosen) {
      const input = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
      if (input) input.checked = true;
    }
    if (focused) document.getElementById(focused)?.focus();
    if (open.some(Boolean)) part.querySelectorAll("details").forEach((details, idx) => (details.open = open[idx] ?? false));
  }
  return newer;
}

/**
 * Asks for a page of this server.
 * @param {string} url
 */
export async function ask(url) {
  const answer = await fetch(url, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.text();
}

const EVERY = 2000;

/** How long it is until then, in words. @param {number} ms */
function until(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return seconds ? `begins in ${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}` : "begins now";
}

/** Counts down to when tournaments begin. */
function countDown() {
  for (const time of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-starts]"))) {
    time.textContent = until(Number(time.dataset.starts) - Date.now());
  }
}
if (document.querySelector("[data-starts], rk-tournament")) setInterval(countDown, 500);
countDown();

class Tournament extends HTMLElement {
  #title = document.title;

  connectedCallback() {
    if (this.hasAttribute("live")) setTimeout(() => this.#again(), EVERY);
    this.#call();
  }

  /** Says in the title that somebody waits for whoever looks. */
  #call() {
    document.title = this.querySelector("[data-yours]") ? `• Your game · ${this.#title}` : this.#title;
  }

  async #again() {
    if (!this.isConnected) return;
    let goesOn = true;
    if (!document.hidden) {
      try {
        const newer = refresh(this, await ask(location.href));
        goesOn = newer.querySelector("rk-tournament")?.hasAttribute("live") ?? false;
        // It has begun, or a board has come to a page that had no place for it: another page by now.
        if (Boolean(this.querySelector("rk-live")) !== Boolean(newer.querySelector("rk-live")) && newer.querySelector("rk-live")) location.reload();
        countDown();
        this.#call();
      } catch {
        // The server is away for a moment: it is asked again.
      }
    }
    if (goesOn) setTimeout(() => this.#again(), EVERY);
  }
}

/** The form is the address: every change asks for the page of that address. */
class NewTournament extends HTMLElement {
  #n = 0;

  connectedCallback() {
    this.addEventListener("input", () => this.#changed());
  }

  async #changed() {
    const n = ++this.#n;
    await new Promise((done) => setTimeout(done, 120));
    if (n !== this.#n) return;
    const form = this.querySelector("form");
    if (!form) return;
    const url = `/t/new?${new URLSearchParams(/** @type {any} */ (new FormData(form)))}`;
    try {
      const text = await ask(url);
      if (n !== this.#n) return;
      const newer = refresh(this, text);
      history.replaceState(null, "", url);
      for (const name of ["board", "name"]) {
        const field = /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
        const other = newer.querySelector(`[name=${name}]`);
        if (other && field !== document.activeElement) field.value = other.getAttribute("value") ?? "";
      }
      // Numbers of the formats stand beside their choices, one of which may have the focus.
      newer.querySelectorAll(".format .size").forEach((size, idx) => {
        const here = this.querySelectorAll(".format .size")[idx];
        if (here) here.textContent = size.textContent;
      });
    } catch {
      // What is shown stays; the form can still be sent.
    }
  }
}

customElements.define("rk-tournament", Tournament);
customElements.define("rk-new-tournament", NewTournament);
