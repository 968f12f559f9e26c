/** Keeps a medium playing when its address dies or its fetch breaks: a new address, the same second. */

/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./work.js").Work} Work */

/** Pauses before the attempts to mend a fault (ms); after the last one the person decides. */
const ATTEMPTS_MS = [0, 1500, 4000, 8000];
/** Faults further apart than this are not one story (ms). */
const STORY_MS = 20_000;

export class Recovery {
  #role;
  #player;
  #work;
  #changed;
  #url = "";
  /** A newer address, to be taken when it disturbs nobody. */
  #next = "";
  #attempts = 0;
  #lastFault = 0;
  #timer = 0;
  /** Mending has failed for now; the page offers what else can be done. */
  gaveUp = false;

  /**
   * @param {string} role of the medium
   * @param {Player} player
   * @param {Work} work
   * @param {() => void} changed
   */
  constructor(role, player, work, changed) {
    this.#role = role;
    this.#player = player;
    this.#work = work;
    this.#changed = changed;
    player.video.addEventListener("pause", () => this.#renew());
    window.addEventListener("online", () => {
      if (player.failed) this.again();
    });
  }

  /**
   * A unit was opened.
   * @param {string} url the address it came with
   * @param {boolean} loaded whether the player has that address already
   */
  begin(url, loaded) {
    clearTimeout(this.#timer);
    this.#attempts = 0;
    this.gaveUp = false;
    this.#url = url;
    this.#next = "";
    if (!loaded) this.fresh(url);
  }

  /** A newer address is there: taken at once when the old one failed, else at the next pause. @param {string} url */
  fresh(url) {
    this.#next = url;
    this.#renew();
  }

  /** The medium failed. Told to the server with the next word to it. @param {string} code */
  fault(code) {
    const now = Date.now();
    if (now - this.#lastFault > STORY_MS) this.#attempts = 0;
    this.#lastFault = now;
    this.#work.note({ role: this.#role, code });
    this.#attempt();
  }

  /** The person, or the connection, asks for another try. */
  again() {
    this.#attempts = 0;
    this.gaveUp = false;
    this.#attempt();
    this.#changed();
  }

  #attempt() {
    clearTimeout(this.#timer);
    const wait = ATTEMPTS_MS[this.#attempts];
    this.#attempts += 1;
    if (wait === undefined) {
      this.gaveUp = true;
      return this.#changed();
    }
    this.#timer = setTimeout(() => void this.#mend(), wait);
  }

  async #mend() {
    const answered = await this.#work.beat(true);
    if (!this.#player.failed) return;
    if (!answered) return this.#attempt();
    // The server answered without a new address: the one there is may have failed by chance.
    this.fresh(this.#next || this.#url);
  }

  #renew() {
    const player = this.#player;
    if (!this.#next || (player.running && !player.failed)) return;
    this.#url = this.#next;
    this.#next = "";
    player.renew(this.#url);
  }
}
