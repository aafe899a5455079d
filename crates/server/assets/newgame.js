// rk-new-game: the form of a new game is drawn again by the server after each change; the last answer wins.
// @ts-check

/** What the server draws again; what somebody types in is left alone. */
const PARTS = ["board", "seats", "sum", "time", "rated", "problem-game", "problem-seats", "problem-time"];
const WAIT = 60;

export class NewGame extends HTMLElement {
  #asked = 0;
  #timer = 0;

  connectedCallback() {
    const form = this.querySelector("form");
    if (!form) return;
    form.addEventListener("input", () => this.#later(form));
    form.addEventListener("click", (event) => {
      const button = /** @type {HTMLElement} */ (event.target).closest("button");
      const step = Number(button?.dataset.step);
      const input = button?.parentElement?.querySelector("input");
      if (step && input) {
        if (step > 0) input.stepUp();
        else input.stepDown();
        this.#later(form);
      } else if (button?.name === "shuffle") {
        event.preventDefault();
        this.#redraw(form, [["shuffle", "1"]]);
      }
    });
    // Enter shows what was typed, and the page stays.
    form.addEventListener("submit", (event) => {
      if (!event.submitter?.matches("[data-enter]")) return;
      event.preventDefault();
      this.#redraw(form);
    });
    const problem = /** @type {HTMLElement | null} */ (this.querySelector("#problem"));
    problem?.focus();
    this.#remember(form);
  }

  /** @param {HTMLFormElement} form */
  #later(form) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#redraw(form), WAIT);
  }

  /** @param {HTMLFormElement} form @param {string[][]} more */
  async #redraw(form, more = []) {
    const asked = ++this.#asked;
    const fields = new URLSearchParams([...[...new FormData(form)].map(([key, value]) => [key, String(value)]), ...more]);
    const answer = await fetch(`/new?${fields}`).catch(() => null);
    const text = await answer?.text();
    // Whoever asked later is answered later.
    if (asked !== this.#asked || !text) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    const drawn = /** @type {HTMLElement | null} */ (page.querySelector("rk-new-game"));
    if (!drawn) return;
    for (const name of PARTS) {
      const [now, next] = [this.querySelector(`[data-live="${name}"]`), page.querySelector(`[data-live="${name}"]`)];
      if (!now || !next || now.innerHTML === next.innerHTML) continue;
      const focused = now.contains(document.activeElement) ? document.activeElement?.id : "";
      now.replaceChildren(...next.childNodes);
      if (focused) document.getElementById(focused)?.focus();
    }
    const seed = /** @type {HTMLInputElement | null} */ (this.querySelector('[name="k.seed"]'));
    const drawnSeed = /** @type {HTMLInputElement | null} */ (page.querySelector('[name="k.seed"]'));
    if (seed && drawnSeed) seed.value = drawnSeed.value;
    Object.assign(this.dataset, drawn.dataset);
    this.#remember(form);
  }

  /** The address is the whole form. @param {HTMLFormElement} form */
  #remember(form) {
    const { spec = "", seats = "", time = "" } = this.dataset;
    const strict = /** @type {HTMLInputElement | null} */ (form.querySelector('[name="strict"]'))?.checked ? "&strict=1" : "";
    history.replaceState(null, "", `/new?spec=${encodeURIComponent(spec)}&seats=${encodeURIComponent(seats)}&time=${encodeURIComponent(time)}${strict}`);
  }
}

customElements.define("rk-new-game", NewGame);
