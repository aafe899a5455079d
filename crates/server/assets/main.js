// Everything a page needs; pages show what they have without any of it.
// @ts-check
import "./board.js";
import "./small.js";

/** What a page has tells which scripts it needs. @type {Record<string, () => Promise<unknown>>} */
const PARTS = {
  "rk-match": () => import("./match.js"),
  "rk-live": () => import("./live.js"),
  "rk-reel": () => import("./live.js"),
  "rk-new-game": () => import("./newgame.js"),
  "rk-record": () => import("./record.js"),
};

for (const [name, load] of Object.entries(PARTS)) if (document.querySelector(name)) load();
