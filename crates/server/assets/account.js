// rk-prefs: what this browser remembers of how somebody likes to play.
// @ts-check

class Prefs extends HTMLElement {
  connectedCallback() {
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (this.querySelectorAll("input"))) {
      const kept = localStorage.getItem(box.name);
      if (kept !== null) box.checked = kept === box.value;
      box.addEventListener("change", () => {
        const value = box.checked ? box.value : box.dataset.off;
        if (value) localStorage.setItem(box.name, value);
        else localStorage.removeItem(box.name);
      });
    }
  }
}

customElements.define("rk-prefs", Prefs);
