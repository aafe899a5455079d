// The sound of a piece, made here: off unless it was switched on.
// @ts-check
import { setting } from "./settings.js";

/** @type {AudioContext | null} */
let audio = null;

/** A short knock of wood. */
export function knock() {
  if (setting("sound") !== "on") return;
  audio ??= new AudioContext();
  const [tone, loud] = [audio.createOscillator(), audio.createGain()];
  const now = audio.currentTime;
  tone.frequency.setValueAtTime(320, now);
  tone.frequency.exponentialRampToValueAtTime(110, now + 0.08);
  loud.gain.setValueAtTime(0.18, now);
  loud.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
  tone.connect(loud).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.13);
}
