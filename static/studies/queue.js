/**
 * Answers on their way to the server. Each is kept in the browser from the moment it is given until the
 * server has said that it is stored, and they go out in the order they were given, one after the other.
 */

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./api.js").Reply} Reply */
/** @typedef {import("./api.js").Refused} Refused */
/**
 * @typedef {object} AnswerEvent what the API calls an event, without `tab` and `age_s`
 * @property {string} event_id
 * @property {number} assignment
 * @property {"answer" | "report" | "undo"} action
 * @property {"question" | "unit"} scope
 * @property {string} question
 * @property {any} value
 * @property {string | null} replaces
 * @property {Record<string, [number, number][]>} played
 * @property {number} active_s
 * @property {number} stalls
 * @property {number} stall_s
 */
/**
 * @typedef {{event: AnswerEvent, at: number, shown: any}} Item an answer, when it was given (ms since 1970), and
 *   what the page showed as current after it
 */
/** @typedef {"empty" | "sending" | "offline" | "waiting" | "blocked"} QueueState */

const BACKOFF_MS = [1000, 2000, 4000, 8000, 15_000];
/** What says nothing about the answer itself: it stays, and sending stops until `resume`. */
const BLOCKING_CODES = new Set(["lease", "halted", "handed_in"]);
const BLOCKING_STATUSES = new Set([401, 403, 404]);

/**
 * Whether `later` stands on `earlier`: it continues the same chain, so it falls with it.
 * @param {AnswerEvent} earlier
 * @param {AnswerEvent} later
 */
function sameChain(earlier, later) {
  return (
    earlier.assignment === later.assignment && earlier.scope === later.scope && earlier.question === later.question
  );
}

export class AnswerQueue {
  #store;
  #send;
  #lock;
  #on;
  /** @type {QueueState} */
  #state = "empty";
  #failures = 0;
  #notBefore = 0;
  #timer = 0;
  /** @type {Promise<void> | null} */
  #running = null;
  #open = false;

  /**
   * @param {object} options
   * @param {Store} options.store
   * @param {(event: AnswerEvent & {age_s: number}) => Promise<Reply>} options.send
   * @param {string} options.lock name of the lock that lets one tab send at a time
   * @param {object} options.on what the page does about it
   * @param {() => void} options.on.change the number or the state changed
   * @param {(event: AnswerEvent, body: any) => void} options.on.delivered stored by the server
   * @param {(event: AnswerEvent, reply: Refused, fallen: AnswerEvent[]) => void} options.on.refused not stored;
   *   `fallen` are later answers of the same chain, which cannot stand without it
   * @param {(reply: Refused) => void} options.on.blocked nothing can be sent from this page now
   */
  constructor({ store, send, lock, on }) {
    this.#store = store;
    this.#send = send;
    this.#lock = lock;
    this.#on = on;
    window.addEventListener("online", () => void this.hurry());
    window.addEventListener("offline", () => this.#on.change());
  }

  /** @returns {Item[]} what waits, oldest first; read afresh, since another tab may have added to it */
  get items() {
    return this.#store.read("queue", []);
  }

  get size() {
    return this.items.length;
  }

  /** @returns {QueueState} */
  get state() {
    if (this.#state !== "empty" && !navigator.onLine && this.#state !== "blocked") return "offline";
    return this.#state;
  }

  /**
   * Keep an answer and send it as soon as can be.
   * @param {AnswerEvent} event
   * @param {any} shown what the page shows as current after it
   */
  add(event, shown) {
    this.#store.write("queue", [...this.items, { event, at: Date.now(), shown }]);
    this.#become("sending");
    void this.flush();
  }

  /** This page may send (it has just been given the lease). */
  resume() {
    this.#open = true;
    void this.hurry();
  }

  /** This page may not send until `resume`. */
  stop() {
    this.#open = false;
    clearTimeout(this.#timer);
    if (this.size) this.#become("blocked");
  }

  /** Send what waits. Resolves when it is all stored or when sending had to stop; `size` tells which. */
  flush() {
    this.#running ??= this.#underLock(() => this.#drain()).finally(() => {
      this.#running = null;
      // An answer given while the last pass was closing found it still running.
      if (this.#open && this.#state === "sending" && this.size) void this.flush();
    });
    return this.#running;
  }

  /** Like `flush`, and without waiting out the pause after a failure. */
  hurry() {
    this.#failures = 0;
    this.#notBefore = 0;
    return this.flush();
  }

  /**
   * One tab at a time; a lock that stays taken (a dying tab) is waited for like a bad connection. The server
   * knows every event by its id, so the lock spares it work, and nothing more hangs on it.
   * @param {() => Promise<void>} work
   */
  async #underLock(work) {
    if (!navigator.locks) return work();
    return navigator.locks.request(this.#lock, { ifAvailable: true }, async (lock) => {
      if (lock || this.#failures >= BACKOFF_MS.length) return work();
      this.#retryLater(0);
    });
  }

  async #drain() {
    for (let item = this.items[0]; item; item = this.items[0]) {
      if (!this.#open) return this.#become("blocked");
      const wait = this.#notBefore - Date.now();
      if (wait > 0) return this.#retryIn(wait);
      this.#become("sending");
      const age_s = Math.max(0, (Date.now() - item.at) / 1000);
      const reply = await this.#send({ ...item.event, age_s });
      if (!this.#handle(item.event, reply)) return;
    }
    this.#become("empty");
  }

  /**
   * @param {AnswerEvent} event
   * @param {Reply} reply
   * @returns {boolean} whether to go on with the next
   */
  #handle(event, reply) {
    if (reply.kind === "ok" && reply.body.event_id === event.event_id) {
      this.#failures = 0;
      this.#forget([event]);
      this.#on.delivered(event, reply.body);
      return true;
    }
    if (reply.kind !== "refused") {
      this.#retryLater(reply.kind === "unreachable" ? reply.retryAfterS * 1000 : 0);
      return false;
    }
    if (reply.code === "not_played" && reply.detail.wait_s > 0) {
      // The server's clock is not there yet; a little more than it asks for, then again.
      this.#notBefore = Date.now() + reply.detail.wait_s * 1000 + 50;
      this.#retryIn(this.#notBefore - Date.now());
      return false;
    }
    if (BLOCKING_CODES.has(reply.code) || BLOCKING_STATUSES.has(reply.status)) {
      this.#open = false;
      this.#become("blocked");
      this.#on.blocked(reply);
      return false;
    }
    const fallen = this.items.map((item) => item.event).filter((later) => sameChain(event, later)).slice(1);
    this.#store.write("refused", [...this.#store.read("refused", []), { event, code: reply.code }].slice(-50));
    this.#forget([event, ...fallen]);
    this.#on.refused(event, reply, fallen);
    return true;
  }

  /** @param {AnswerEvent[]} events */
  #forget(events) {
    const ids = new Set(events.map((event) => event.event_id));
    this.#store.write("queue", this.items.filter((item) => !ids.has(item.event.event_id)));
  }

  /** @param {number} atLeastMs */
  #retryLater(atLeastMs) {
    const step = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)];
    this.#failures += 1;
    const ms = Math.max(atLeastMs, step * (0.8 + 0.4 * Math.random()));
    this.#notBefore = Date.now() + ms;
    this.#become("offline");
    this.#schedule(ms);
  }

  /** @param {number} ms */
  #retryIn(ms) {
    if (this.#state !== "offline") this.#become("waiting");
    this.#schedule(ms);
  }

  /** @param {number} ms */
  #schedule(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), ms + 5);
  }

  /** @param {QueueState} state */
  #become(state) {
    this.#state = state;
    this.#on.change();
  }
}
