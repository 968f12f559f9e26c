/** What a unit's page remembers over a reload: what was watched, for how long, what can be undone. */

/** @typedef {import("./store.js").Store} Store */

/** Units remembered; the one before the current can be gone back to. */
const UNITS = 6;
/** A gap between signs of life longer than this is left out, whole (s). */
const GAP_S = 60;
/** Time between two ticks longer than this means that the machine slept or the tab was frozen (s). */
const SLEPT_S = 5;
/** What shows that a person is there. */
const SIGNS = ["keydown", "click", "pointerdown", "pointermove", "wheel", "touchstart"];

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

/**
 * Seconds that a person was at work on a unit: while the tab was visible, gaps of more than a minute without input
 * or playback left out. Waiting for the medium is work. What a gap will be is known only when it ends, so time since
 * the last sign of life is counted with the next one: the number never has to be taken back.
 */
export class ActiveTime {
  #seconds = 0;
  /** Visible time since the last sign of life. */
  #open = 0;
  #playing;
  #visible = document.visibilityState === "visible";
  #sign = performance.now();
  #last = performance.now();

  /** @param {() => boolean} playing whether a medium runs, or is waited for */
  constructor(playing) {
    this.#playing = playing;
    for (const sign of SIGNS) document.addEventListener(sign, () => this.#alive(), { passive: true, capture: true });
    // Leaving the tab and coming back are acts of a person too.
    document.addEventListener("visibilitychange", () => this.#alive());
  }

  /** Seconds counted so far. */
  get seconds() {
    return this.#seconds;
  }

  /** Another unit begins, with what had been counted of it before. @param {number} [seconds] */
  begin(seconds = 0) {
    this.tick();
    this.#seconds = seconds;
    this.#open = 0;
  }

  /** To be called about once a second. */
  tick() {
    this.#pass();
    if (this.#playing()) this.#settle();
  }

  #alive() {
    this.#pass();
    this.#settle();
  }

  #pass() {
    const now = performance.now();
    const passed = (now - this.#last) / 1000;
    this.#last = now;
    if (this.#visible && passed <= SLEPT_S) this.#open += passed;
    this.#visible = document.visibilityState === "visible";
  }

  #settle() {
    if (this.#last - this.#sign <= GAP_S * 1000) this.#seconds += this.#open;
    this.#open = 0;
    this.#sign = this.#last;
  }
}
