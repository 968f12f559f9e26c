/** One clip as its rater has it: the moments, what was said about each, and what an undo would take back. */

/** @typedef {import("../studies/queue.js").AnswerEvent} AnswerEvent */
/** @typedef {{key: string, start_s: number, end_s: number}} Moment */
/** @typedef {{head: string | null, value: any}} Said the latest event of a chain, and the answer that is current */
/** @typedef {{scope: "question" | "unit", question: string, before: any}} Step */

/** The four points of the scale (000 Table 5). */
export const NAMES = ["Calm", "Mild", "Clear", "Peak"];

/** @param {number | null | undefined} value */
export const spoken = (value) => (value == null ? "not rated" : `${value} ${NAMES[value]}`);

export const REASONS = {
  does_not_play: "it does not play",
  no_sound: "there is no sound",
  wrong_content: "it shows the wrong content",
  rather_not: "you would rather not watch it",
};

export class Clip {
  id;
  /** @type {Moment[]} */
  moments;
  /** What can be undone, oldest first. @type {Step[]} */
  history;
  current = 0;
  duration;
  lead_in;
  /** Whether the whole clip has to be seen before the first score. */
  whole;
  /** @type {Map<string, Said>} */
  #answers = new Map();
  /** @type {Said} */
  #report = { head: null, value: null };

  /**
   * @param {any} body what `open` answered
   * @param {Step[]} history kept from before a reload
   */
  constructor(body, history) {
    this.id = body.assignment.id;
    this.moments = body.view.moments;
    this.duration = body.view.duration_s;
    this.lead_in = body.view.lead_in_s;
    this.whole = body.view.context === "clip";
    this.history = history;
  }

  /** Stand where the work goes on: at the first moment without a score, or at the last moment. */
  start() {
    const next = this.nextUnrated(-1);
    this.current = next < 0 ? this.moments.length - 1 : next;
  }

  /** Take over what the server has stored. @param {any} body */
  learn(body) {
    this.#answers = new Map(Object.entries(body.answers ?? {}));
    this.#report = body.report ?? { head: null, value: null };
  }

  get moment() {
    return this.moments[this.current];
  }

  get report() {
    return this.#report.value;
  }

  get allRated() {
    return this.moments.every((moment) => this.value(moment) !== null);
  }

  /** The current score of a moment, or null. @param {Moment} moment @returns {number | null} */
  value(moment) {
    return this.#answers.get(moment.key)?.value ?? null;
  }

  /** The event that a new one has to name. @param {string} scope @param {string} question */
  head(scope, question) {
    return this.#said(scope, question).head;
  }

  /** The next moment without a score after `from`, going round; -1 when there is none. @param {number} from */
  nextUnrated(from) {
    const order = this.moments.map((_, i) => (from + 1 + i) % this.moments.length);
    return order.find((i) => this.value(this.moments[i]) === null) ?? -1;
  }

  /** Where watching a moment begins (s). @param {Moment} moment */
  lead(moment) {
    return Math.max(0, moment.start_s - this.lead_in);
  }

  /** What Z would take back now: the last thing said here, or a score whose order is not known any more. */
  get lastStep() {
    const step = this.history.at(-1);
    if (step) return step;
    if (this.report) return { scope: /** @type {const} */ ("unit"), question: "", before: null };
    const rated = [this.moment, ...this.moments.toReversed()].find((moment) => this.value(moment) !== null);
    return rated && { scope: /** @type {const} */ ("question"), question: rated.key, before: null };
  }

  /** Show something said here at once, before the server has it. @param {AnswerEvent} event */
  say({ event_id, action, scope, question, value }) {
    const before = this.#said(scope, question).value;
    let now = value;
    if (action === "undo") {
      const at = this.history.findLastIndex((step) => step.scope === scope && step.question === question);
      now = at < 0 ? null : this.history[at].before;
      if (at >= 0) this.history.splice(at, 1);
    } else {
      this.history.push({ scope, question, before });
    }
    this.#set(scope, question, { head: event_id, value: now });
  }

  /**
   * Something said before a reload still waits to be sent.
   * @param {AnswerEvent} event
   * @param {any} shown the answer that was current after it
   */
  recall({ event_id, scope, question }, shown) {
    this.#set(scope, question, { head: event_id, value: shown });
  }

  /** The answer that is current in a chain. @param {string} scope @param {string} question @returns {any} */
  shown(scope, question) {
    return this.#said(scope, question).value;
  }

  /**
   * The server has stored it: its word on the value counts, unless more has been said since.
   * @param {AnswerEvent} event
   * @param {{head: string, value: any}} stored
   */
  settle({ event_id, scope, question }, stored) {
    if (this.head(scope, question) === event_id) this.#set(scope, question, stored);
  }

  /**
   * The server holds something else: that is what is current.
   * @param {AnswerEvent} event
   * @param {Said | null | undefined} stored
   */
  correct({ scope, question }, stored) {
    this.history = this.history.filter((step) => step.scope !== scope || step.question !== question);
    this.#set(scope, question, { head: stored?.head ?? null, value: stored?.value ?? null });
  }

  /** @param {string} scope @param {string} question @returns {Said} */
  #said(scope, question) {
    if (scope === "unit") return this.#report;
    return this.#answers.get(question) ?? { head: null, value: null };
  }

  /** @param {string} scope @param {string} question @param {Said} said */
  #set(scope, question, said) {
    if (scope === "unit") this.#report = said;
    else this.#answers.set(question, said);
  }
}
