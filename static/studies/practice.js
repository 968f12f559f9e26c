/**
 * The practice before the work, the same for every kind of study: where somebody is in it, whether an answer was
 * accepted and what was expected, and how a round went.
 */

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./panel.js").PanelContent} PanelContent */
/** @typedef {{passed: number, of: number, needed: number}} Tried */
/** @typedef {{item: number, of: number, round: number, rounds: number, needed: number, before: Tried | null}} At */
/** @typedef {{accepted: boolean, expected: string, text: string}} Feedback */

/** What the server says where any answer is accepted. */
const ANYTHING = "anything";

export class Practice {
  /** Where the person is in the practice; none in the work itself. @type {At | null} */
  at = null;
  #store;
  #banner;
  #box;
  #say;
  #unit;
  /** The round whose beginning has been announced in this page. */
  #announced = 0;

  /**
   * @param {object} parts
   * @param {Store} parts.store remembers over a reload that the practice was going on
   * @param {HTMLElement} parts.banner says where one is; empty and hidden
   * @param {HTMLElement} parts.feedback holds elements with `data-verdict`, `data-expected`, `data-text`; hidden
   * @param {(text: string) => void} parts.say tells screen readers
   * @param {string} parts.unit what one unit is called: "clip"
   */
  constructor({ store, banner, feedback, say, unit }) {
    this.#store = store;
    this.#banner = banner;
    this.#box = feedback;
    this.#say = say;
    this.#unit = unit;
  }

  /** Whether this is the last item of a round. */
  get atLast() {
    return this.at !== null && this.at.item === this.at.of;
  }

  /**
   * A unit was opened.
   * @param {{practice?: At | null}} body what `open` answered
   * @returns {PanelContent | null} what has to be said before it is worked on
   */
  opened({ practice = null }) {
    const was = this.#store.read("practice", false);
    this.at = practice;
    this.clear();
    this.#draw();
    if (practice) {
      this.#store.write("practice", true);
      if (practice.item > 1 || this.#announced === practice.round) return null;
      this.#announced = practice.round;
      return practice.before ? this.#again(practice, practice.before) : this.#first(practice);
    }
    if (!was) return null;
    const text = `Now the real ${this.#unit}s. From here on there is no feedback, and you can change an answer or undo it.`;
    return { name: "practice_passed", title: "Practice passed", text, actions: [{ label: "Start", primary: true }] };
  }

  /** What `opened` had to say has been read. */
  read() {
    if (!this.at) this.#store.write("practice", false);
  }

  /**
   * An answer was stored: show what came back about it until the next act.
   * @param {string} what was answered, and how: "Moment 2: 1 Mild"
   * @param {Feedback | null | undefined} feedback
   */
  answered(what, feedback) {
    if (!this.at || !feedback) return;
    const verdict = feedback.accepted ? "Accepted" : "Not accepted";
    const expected = feedback.expected === ANYTHING ? `${what}.` : `${what}. Expected: ${feedback.expected}.`;
    this.#part("verdict").textContent = verdict;
    this.#part("expected").textContent = expected;
    this.#part("text").textContent = feedback.text;
    this.#part("text").hidden = !feedback.text;
    this.#box.dataset.accepted = String(feedback.accepted);
    this.#box.hidden = false;
    this.#say(`${verdict}. ${expected} ${feedback.text}`.trim());
  }

  /** The next act: what was said about the last one goes. */
  clear() {
    this.#box.hidden = true;
  }

  #draw() {
    this.#banner.hidden = !this.at;
    if (!this.at) return;
    const { item, of, round, rounds, needed } = this.at;
    const name = document.createElement("strong");
    name.textContent = `Practice ${item} of ${of}`;
    const tries = rounds > 1 ? ` · try ${round} of ${rounds}` : "";
    this.#banner.replaceChildren(name, `${tries} · ${needed} of ${of} needed · your first answer counts`);
  }

  /** @param {At} at @returns {PanelContent} */
  #first({ of, needed, rounds }) {
    const items = of === 1 ? `There is one practice ${this.#unit}` : `There are ${of} practice ${this.#unit}s`;
    const tries = rounds > 1 ? ` You have ${rounds} tries.` : "";
    const text = `${items}. After each answer you see whether it is accepted; the first answer counts. ${needed} of ${of} must be right to go on to the work.${tries}`;
    return { name: "practice_first", title: "Practice first", text, actions: [{ label: "Start the practice", primary: true }] };
  }

  /** @param {At} at @param {Tried} before @returns {PanelContent} */
  #again({ round, rounds }, { passed, of, needed }) {
    const left = round === rounds ? " This is the last try." : "";
    const text = `${passed} of ${of} ${passed === 1 ? "was" : "were"} right, and ${needed} are needed. Do the practice again: the first answer to each ${this.#unit} counts.${left}`;
    return { name: "practice_again", title: `Practice: try ${round} of ${rounds}`, text, actions: [{ label: "Try again", primary: true }] };
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) {
    return /** @type {HTMLElement} */ (this.#box.querySelector(`[data-${name}]`));
  }
}
