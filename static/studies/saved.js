/** The pill that says where the answers are. */

/** @typedef {import("./queue.js").AnswerQueue} AnswerQueue */

const FRESH_MS = 30_000;

/** @param {number} n */
export const answers = (n) => (n === 1 ? "1 answer" : `${n} answers`);

export class SavedPill {
  #pill;
  #text;
  #timer = 0;
  #savedAt = 0;
  /** Something the person should look at, until it is cleared. */
  #attention = false;

  /** @param {HTMLElement} pill holds an element with `data-text` */
  constructor(pill) {
    this.#pill = pill;
    this.#text = /** @type {HTMLElement} */ (pill.querySelector("[data-text]"));
  }

  /** An answer was stored just now. */
  saved() {
    this.#savedAt = Date.now();
    this.#attention = false;
  }

  /** An answer was not stored; the page says more. */
  attention() {
    this.#attention = true;
  }

  /** It has been looked at. */
  settle() {
    this.#attention = false;
  }

  /** @param {AnswerQueue} queue */
  show(queue) {
    const { state, size } = queue;
    if (this.#attention && !size) return this.#say("attention", "An answer needs your attention");
    if (!size) return this.#settled();
    if (state === "sending") return this.#say("saving", "Saving…");
    if (state === "waiting") return this.#say("waiting", `${answers(size)} kept, the server takes ${size === 1 ? "it" : "them"} in a moment`);
    if (state === "offline") {
      return this.#say("offline", `${navigator.onLine ? "No connection" : "Offline"}, ${answers(size)} waiting`);
    }
    return this.#say("offline", `${answers(size)} waiting`);
  }

  #settled() {
    clearTimeout(this.#timer);
    if (!navigator.onLine) return this.#say("offline", "Offline");
    const age = Date.now() - this.#savedAt;
    if (!this.#savedAt) return this.#say("saved", "Saved as you go");
    if (age >= FRESH_MS) return this.#say("saved", "All answers saved");
    this.#timer = setTimeout(() => this.#settled(), FRESH_MS - age + 50);
    return this.#say("saved", "Saved just now");
  }

  /**
   * @param {string} state
   * @param {string} text
   */
  #say(state, text) {
    this.#pill.dataset.state = state;
    if (this.#text.textContent !== text) this.#text.textContent = text;
  }
}
