/** A short film that has to be seen to play: counts the pictures that were shown, and names what goes wrong. */

/** @typedef {"aborted" | "network" | "decode" | "not_supported" | "unknown" | "refused" | "stalled"} FilmFault */
/**
 * @typedef {object} FilmEvents
 * @property {() => void} change started, stopped, moved
 * @property {() => void} over it has played to its end
 * @property {(fault: FilmFault) => void} fault it does not play
 */

/** @type {FilmFault[]} as the media error codes number them */
const FAULTS = ["unknown", "aborted", "network", "decode", "not_supported"];
/** A standstill this long while it should play is a fault (ms). */
const STUCK_MS = 12_000;

export class Film {
  video;
  #on;
  #stuck = 0;
  /** Pictures shown so far, of all films. */
  frames = 0;
  /** The present film has been played to its end at least once. */
  seen = false;

  /**
   * @param {HTMLVideoElement} video
   * @param {FilmEvents} on
   */
  constructor(video, on) {
    this.video = video;
    this.#on = on;
    if ("requestVideoFrameCallback" in HTMLVideoElement.prototype) this.#everyFrame();
    else video.addEventListener("timeupdate", () => this.#shown());
    video.addEventListener("error", () => void this.#failed(FAULTS[video.error?.code ?? 0] ?? "unknown"));
    video.addEventListener("ended", () => {
      this.seen = true;
      on.over();
    });
    for (const name of ["play", "playing", "pause", "canplay"]) video.addEventListener(name, () => on.change());
    for (const name of ["timeupdate", "pause", "emptied"]) video.addEventListener(name, () => clearTimeout(this.#stuck));
    // In a hidden tab nothing is seen, so it does not go on there.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") video.pause();
    });
  }

  get running() {
    return !this.video.paused && !this.video.ended;
  }

  /** @param {string} url */
  load(url) {
    this.seen = false;
    this.video.src = url;
    this.video.load();
  }

  /** Play from the start. */
  async play() {
    clearTimeout(this.#stuck);
    this.#stuck = setTimeout(() => this.#fault("stalled"), STUCK_MS);
    this.video.muted = false;
    this.video.currentTime = 0;
    try {
      await this.video.play();
    } catch (error) {
      if (error instanceof DOMException && error.name === "NotAllowedError") this.#fault("refused");
    }
  }

  #everyFrame() {
    this.video.requestVideoFrameCallback(() => {
      this.#shown();
      this.#everyFrame();
    });
  }

  #shown() {
    if (document.visibilityState !== "visible" || !this.running) return;
    // Where frames cannot be counted, a quarter of a second of film stands for those that were in it.
    this.frames += "requestVideoFrameCallback" in HTMLVideoElement.prototype ? 1 : 4;
    this.#on.change();
  }

  /**
   * The element failed. A file that never came is called "not supported" by it, so look whether it comes.
   * @param {FilmFault} fault
   */
  async #failed(fault) {
    const src = this.video.getAttribute("src") ?? "";
    const comes = async () => (await fetch(src, { headers: { Range: "bytes=0-1" }, cache: "no-store" })).ok;
    const lost = fault === "not_supported" && !(await comes().catch(() => false));
    if (this.video.getAttribute("src") === src) this.#fault(lost ? "network" : fault);
  }

  /** @param {FilmFault} fault */
  #fault(fault) {
    clearTimeout(this.#stuck);
    if (this.video.getAttribute("src")) this.#on.fault(fault);
  }
}
