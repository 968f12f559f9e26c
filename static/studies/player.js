/** One video under our own controls: who paused it, where it stands, and how it survives a new address. */

/** @typedef {import("./store.js").Store} Store */
/**
 * @typedef {object} PlayerEvents
 * @property {() => void} change started, paused, seeked, loaded, louder, softer
 * @property {(code: string) => void} fault the medium failed; the page fetches a new address
 */

const MEDIA_ERRORS = ["", "aborted", "network", "decode", "not_supported"];
/** A standstill this long, with a connection, is a broken fetch (ms). */
const STUCK_MS = 12_000;

export class Player {
  video;
  #store;
  #still;
  #on;
  /** Where to go and whether to run once the new source knows its length. @type {{at: number, run: boolean} | null} */
  #pending = null;
  #stuck = 0;
  /** Where the playhead was last known to be: an element that failed may say 0. */
  #lastKnown = 0;
  /** Whether it should be running: true from play to pause, whatever the network does meanwhile. */
  running = false;
  /** Who stopped it last. @type {"person" | "us"} */
  pausedBy = "person";
  /** The browser refused to start without a gesture. */
  refused = false;
  /** Nothing to be played until a new source comes. */
  failed = false;
  /** Where a loaded medium goes on, given where it stood (s). @type {(at: number) => number} */
  resumeAt = (at) => at;

  /**
   * @param {HTMLVideoElement} video
   * @param {HTMLCanvasElement} still lies over the video while its source changes
   * @param {Store} store remembers the volume
   * @param {PlayerEvents} on
   */
  constructor(video, still, store, on) {
    this.video = video;
    this.#still = still;
    this.#store = store;
    this.#on = on;
    video.volume = Math.min(1, Math.max(0.05, store.read("volume", 1)));
    video.addEventListener("loadedmetadata", () => this.#arrive());
    video.addEventListener("pause", () => this.#stopped());
    video.addEventListener("error", () => this.#fail(MEDIA_ERRORS[video.error?.code ?? 0] || "unknown"));
    video.addEventListener("waiting", () => this.#watchStandstill());
    for (const name of ["seeked", "playing"]) video.addEventListener(name, () => (this.#still.hidden = true));
    for (const name of ["timeupdate", "seeking"]) {
      video.addEventListener(name, () => {
        if (video.readyState > 0) this.#lastKnown = video.currentTime;
      });
    }
    for (const name of ["playing", "timeupdate", "pause", "emptied"]) {
      video.addEventListener(name, () => clearTimeout(this.#stuck));
    }
    for (const name of ["play", "playing", "seeked", "volumechange", "waiting", "canplay"]) {
      video.addEventListener(name, () => on.change());
    }
    // Browsers differ in what a hidden video does; nothing of it would count, so it waits for the person.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && this.running) this.pause("person");
    });
  }

  /** Seconds of media time, also while a new source is still loading. */
  get position() {
    return this.#pending ? this.#pending.at : this.video.currentTime;
  }

  /** Waiting for data, as opposed to waiting for a person. */
  get loading() {
    return !this.failed && (this.#pending !== null || (this.running && this.video.readyState < 3));
  }

  get audible() {
    return !this.video.muted && this.video.volume > 0;
  }

  /**
   * Show a medium from `at` on.
   * @param {string} url
   * @param {{at: number, run?: boolean}} how
   */
  load(url, { at, run = false }) {
    this.#pending = { at: this.resumeAt(at), run };
    this.failed = false;
    this.running = run;
    this.video.src = url;
    this.video.load();
    this.#on.change();
  }

  /** Go on at the same second from another address of the same medium. @param {string} url */
  renew(url) {
    this.#holdPicture();
    this.load(url, { at: this.position, run: this.running });
  }

  async play() {
    this.running = true;
    this.refused = false;
    if (this.#pending) {
      this.#pending.run = true;
      return this.#on.change();
    }
    try {
      await this.video.play();
    } catch (error) {
      // AbortError: a pause or a new source overtook it, nothing to say.
      if (error instanceof DOMException && error.name === "NotAllowedError") {
        this.refused = true;
        this.pause("person");
      }
    }
    this.#on.change();
  }

  /** @param {"person" | "us"} by */
  pause(by) {
    this.running = false;
    this.pausedBy = by;
    if (this.#pending) this.#pending.run = false;
    this.video.pause();
    this.#on.change();
  }

  toggle() {
    if (this.running) this.pause("person");
    else void this.play();
  }

  /** @param {number} to seconds */
  seek(to) {
    if (this.#pending) this.#pending.at = to;
    else this.video.currentTime = to;
    this.#on.change();
  }

  /** @param {number} volume 0 to 1 */
  setVolume(volume) {
    this.video.volume = volume;
    this.video.muted = volume === 0;
    if (volume > 0) this.#store.write("volume", volume);
  }

  /** Sound on or off; on means loud enough to be heard. */
  toggleSound() {
    if (this.audible) {
      this.video.muted = true;
      return;
    }
    this.video.muted = false;
    if (this.video.volume < 0.05) this.setVolume(0.5);
  }

  /** Keep showing the present picture while the next source loads. */
  #holdPicture() {
    const { videoWidth, videoHeight, readyState } = this.video;
    if (readyState < 2 || !videoWidth) return;
    this.#still.width = videoWidth;
    this.#still.height = videoHeight;
    this.#still.getContext("2d")?.drawImage(this.video, 0, 0);
    this.#still.hidden = false;
  }

  #arrive() {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = null;
    this.#lastKnown = pending.at;
    this.video.currentTime = pending.at; // also at 0: `seeked` tells that the picture is there
    if (pending.run) void this.play();
    this.#on.change();
  }

  /** Paused without our doing: it ended, or headphones were pulled, or a media key was pressed. */
  #stopped() {
    if (this.running && !this.#pending && !this.video.error) {
      this.running = false;
      this.pausedBy = this.video.ended ? "us" : "person";
    }
    this.#on.change();
  }

  /** @param {string} code */
  #fail(code) {
    if (!this.video.getAttribute("src")) return;
    this.#pending ??= { at: this.#lastKnown, run: this.running };
    this.failed = true;
    clearTimeout(this.#stuck);
    this.#on.fault(code);
    this.#on.change();
  }

  #watchStandstill() {
    clearTimeout(this.#stuck);
    this.#stuck = setTimeout(() => {
      if (this.running && this.video.readyState < 3) this.#fail("stalled");
    }, STUCK_MS);
  }
}
