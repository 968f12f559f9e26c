/**
 * A page's work with the server: it takes the lease, opens units, keeps the reservation and the addresses of
 * the media fresh, and says when any of that is lost. Every kind of study uses it.
 */

import { browserFamily } from "./browser.js";
import { uuid } from "./store.js";

/** @typedef {import("./api.js").Api} Api */
/** @typedef {import("./api.js").Refused} Refused */
/** @typedef {import("./store.js").Store} Store */
/** @typedef {{url: string, type: string, expires_in_s: number}} Medium */
/**
 * @typedef {object} WorkEvents
 * @property {(body: any) => void} opened what `open` answered
 * @property {() => void} leaseLost another tab or device holds the work now
 * @property {(state: string) => void} stateChanged the study was halted or closed, or the work handed in
 * @property {(refusal: Refused) => void} refused the server does not know this browser any more, or not this study
 * @property {(offline: boolean) => void} connection whether `open` is being retried
 * @property {(media: Record<string, Medium>) => void} media fresh addresses, since the old ones failed or soon will
 */

const BEAT_MS = 30_000;
const TICK_MS = 5_000;
/** A tick this late means that the machine slept (ms). */
const SLEPT_MS = 20_000;
const RETRY_MS = [1000, 2000, 4000, 8000, 15_000];

export class Work {
  /** This page's name in the lease: new with every load, so that a copied tab is another one. */
  tab = uuid();
  /** @type {number | null} */
  assignment = null;
  /** Seconds that the person has been at work on the unit, as the page counts them. @type {() => number} */
  activeSeconds = () => 0;
  #api;
  #store;
  #on;
  #held = false;
  #lastBeat = 0;
  #lastTick = Date.now();
  #expiresAt = Infinity;
  #lifetime = Infinity;
  #tries = 0;
  #retry = 0;
  #opening = false;
  /** Media errors that the server has not heard of yet. @type {{role: string, code: string}[]} */
  #faults = [];

  /**
   * @param {Api} api
   * @param {Store} store
   * @param {WorkEvents} on
   */
  constructor(api, store, on) {
    this.#api = api;
    this.#store = store;
    this.#on = on;
    store.onOtherTab("lease", (tab) => {
      if (tab !== this.tab) this.loseLease();
    });
    setInterval(() => this.#tick(), TICK_MS);
    document.addEventListener("visibilitychange", () => this.#tick());
    window.addEventListener("online", () => (this.#retry ? void this.open() : this.#tick()));
    // Back from the browser's page cache: everything may have moved on meanwhile.
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) void this.open();
    });
  }

  /** Whether this page holds the lease, as far as it knows. */
  get held() {
    return this.#held;
  }

  /** Take the lease and open the current unit, or the next one. Retried until there is an answer. */
  async open() {
    if (this.#opening) return;
    this.#opening = true;
    clearTimeout(this.#retry);
    this.#retry = 0;
    const reply = await this.#api.post("open", { tab: this.tab });
    this.#opening = false;
    if (reply.kind === "unreachable") {
      const ms = RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)];
      this.#retry = setTimeout(() => void this.open(), Math.max(ms, reply.retryAfterS * 1000));
      return this.#on.connection(true);
    }
    this.#tries = 0;
    this.#on.connection(false);
    if (reply.kind === "refused") return this.#on.refused(reply);
    this.#held = true;
    this.#store.write("lease", this.tab);
    this.#lastBeat = Date.now();
    this.assignment = reply.body.assignment?.id ?? null;
    this.#noteExpiry(reply.body.media);
    this.#on.opened(reply.body);
  }

  /** Do not go on trying to open. */
  giveUpOpening() {
    clearTimeout(this.#retry);
    this.#retry = 0;
  }

  loseLease() {
    if (!this.#held) return;
    this.#held = false;
    this.#on.leaseLost();
  }

  /** A medium failed: the server hears of it with the next heartbeat. @param {{role: string, code: string}} fault */
  note(fault) {
    this.#faults.push(fault);
  }

  /**
   * Renew the reservation and the addresses.
   * @param {boolean} [wanted] the page needs the new addresses now
   * @returns {Promise<boolean>} whether the server answered
   */
  async beat(wanted = false) {
    if (!this.#held || this.assignment === null) return false;
    const assignment = this.assignment;
    this.#lastBeat = Date.now();
    const fault = this.#faults[0];
    const told = fault && { fault: { ...fault, browser: browserFamily() } };
    const active_s = Math.round(this.activeSeconds() * 10) / 10;
    const reply = await this.#api.post("heartbeat", { assignment, tab: this.tab, active_s, ...told });
    if (reply.kind === "unreachable") return false;
    if (reply.kind === "refused") {
      if (reply.code === "lease") this.loseLease();
      else if (reply.status === 403) this.#on.refused(reply);
      return true;
    }
    if (fault) this.#faults.shift();
    if (!reply.body.lease) this.loseLease();
    else if (reply.body.state && reply.body.state !== "working") this.#on.stateChanged(reply.body.state);
    else if (assignment === this.assignment && reply.body.media && (wanted || this.#due)) {
      this.#noteExpiry(reply.body.media);
      this.#on.media(reply.body.media);
    }
    return true;
  }

  #tick() {
    const now = Date.now();
    const slept = now - this.#lastTick > SLEPT_MS;
    this.#lastTick = now;
    if (document.visibilityState !== "visible") return;
    const since = now - this.#lastBeat;
    if (slept || since >= BEAT_MS || (this.#due && since >= TICK_MS)) void this.beat();
  }

  /** Whether the addresses in use would die before the next heartbeat. */
  get #due() {
    return Date.now() > this.#expiresAt - Math.min(BEAT_MS + TICK_MS, this.#lifetime / 2);
  }

  /** @param {Record<string, Medium> | undefined} media */
  #noteExpiry(media) {
    const seconds = Object.values(media ?? {}).map((medium) => medium.expires_in_s);
    this.#lifetime = seconds.length ? Math.min(...seconds) * 1000 : Infinity;
    this.#expiresAt = Date.now() + this.#lifetime;
  }
}
