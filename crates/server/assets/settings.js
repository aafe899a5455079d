// What somebody has chosen in this browser. In a frame of others there may be no such place; then nothing was chosen.
// @ts-check

/** @param {string} name */
export function setting(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value */
export function choose(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It holds as long as the page is open.
  }
}
