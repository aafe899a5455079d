// rk-try: a small board of the rules that one can move on.
// @ts-check
import { post } from "./ask.js";

/**
 * Asks what a move leads to; without a move, what can be done.
 * @param {string | null} game
 * @param {string} position
 * @param {string} [move]
 */
export function look(game, position, move) {
  return post("/api/v1/try", { game, position, move });
}

class Try extends HTMLElement {
  #position = "";

  connectedCallback() {
    const watcher = new IntersectionObserver(([seen]) => {
      if (!seen.isIntersecting) return;
      watcher.disconnect();
      this.#begin();
    });
    watcher.observe(this);
  }

  /** @param {string} name */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }

  async #begin() {
    await customElements.whenDefined("rk-board");
    const [game, first] = [this.getAttribute("game"), this.getAttribute("position") ?? ""];
    const board = /** @type {any} */ (this.querySelector("rk-board"));
    const show = async (/** @type {string} */ position, /** @type {string | undefined} */ move = undefined) => {
      try {
        const told = await look(game, position, move);
        this.#position = told.position;
        board.show(told.scene);
        this.#part("said").textContent = told.said;
        this.#part("reset").hidden = this.#position === first;
      } catch (error) {
        this.#part("said").textContent = /** @type {Error} */ (error).message;
      }
    };
    this.addEventListener("rk-move", (event) => show(this.#position, /** @type {CustomEvent} */ (event).detail.id));
    this.#part("reset").addEventListener("click", () => show(first));
    await show(first);
  }
}

customElements.define("rk-try", Try);
