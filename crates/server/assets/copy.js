// Copies a text, also where the page came over plain HTTP and browsers offer no clipboard.
// @ts-check

/** @param {string} text @returns {Promise<boolean>} whether it was copied */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return selected(text);
  }
}

/** The old way: from a field that is selected for a moment. @param {string} text */
function selected(text) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "sr";
  field.readOnly = true;
  // Beside what has the focus: nothing outside an open sheet can be selected.
  (before?.closest("dialog") ?? document.body).append(field);
  field.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand("copy");
  } catch {
    // Then it was not.
  }
  field.remove();
  before?.focus();
  return isCopied;
}
