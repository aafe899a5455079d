// Asks the server for data. What goes wrong is an error with a sentence for people.
// @ts-check

/** @param {string} url @param {RequestInit} [options] @returns {Promise<any>} */
export async function ask(url, options) {
  const answer = await fetch(url, options).catch(() => null);
  if (!answer) throw new Error("The server cannot be reached. Try again when there is a connection.");
  const told = await answer.json().catch(() => null);
  if (!answer.ok || told === null) throw new Error(told?.error?.message ?? "The server has given no answer that can be read. Try again in a moment.");
  return told;
}

/** @param {string} url @param {object} body */
export function post(url, body) {
  return ask(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}
