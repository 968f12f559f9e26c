/** What a unit's page remembers over a reload: what was watched, for how long, what can be undone. */

/** @typedef {import("./store.js").Store} Store */

/** Units remembered; the one before the current can be gone back to. */
const UNITS = 6;
/** Without play, key or pointer for this long, nobody is counted as working (s). */
const IDLE_S = 30;

export class Kept {
  #store;

  /** @param {Store} store */
  constructor(store) {
    this.#store = store;
  }

  /** @param {number} assignment @returns {Record<string, any>} */
  load(assignment) {
    return this.#store.read("kept", /** @type {Record<string, any>} */ ({}))[assignment] ?? {};
  }

  /**
   * @param {number} assignment
   * @param {Record<string, any>} what
   */
  save(assignment, what) {
    const { [assignment]: _, ...others } = this.#store.read("kept", /** @type {Record<string, any>} */ ({}));
    const recent = Object.entries(others)
      .sort(([, a], [, b]) => b.at - a.at)
      .slice(0, UNITS - 1);
    this.#store.write("kept", { ...Object.fromEntries(recent), [assignment]: { ...what, at: Date.now() } });
  }
}

/** Seconds that a person was at work on a unit: the page visible, and something played or touched lately. */
export class ActiveTime {
  seconds = 0;
  #playing;
  #touched = performance.now();
  #last = performance.now();

  /** @param {() => boolean} playing */
  constructor(playing) {
    this.#playing = playing;
    for (const sign of ["keydown", "pointerdown", "pointermove"]) {
      document.addEventListener(sign, () => (this.#touched = performance.now()), { passive: true });
    }
    document.addEventListener("visibilitychange", () => this.tick());
  }

  /** Count the time since the last call; to be called about once a second. */
  tick() {
    const now = performance.now();
    const passed = (now - this.#last) / 1000;
    this.#last = now;
    // A longer gap means that the machine slept or the tab was frozen.
    if (passed > 5 || document.visibilityState !== "visible") return;
    if (this.#playing() || now - this.#touched < IDLE_S * 1000) this.seconds += passed;
  }
}
