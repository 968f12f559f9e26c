/**
 * Measures which stretches of a video a person has really been shown: visible, audible, at normal speed.
 * `video.played` proves none of that, so every presented frame is looked at.
 */

import { join, rounded, shareWatched, without } from "./intervals.js";

/** @typedef {import("./intervals.js").Interval} Interval */
/** @typedef {{played: Interval[], stalls: number, stall_s: number}} Watched */

/** Media time may run this much faster than the clock on the wall. */
export const MAX_RATE = 1.05;
/** Media seconds that may be caught up at once after frames came late (a small constant slack). */
const SLACK = 0.25;
/** How far behind the playhead the last measured frame may lie (s). */
const RESUME_GAP_S = 0.6;

export class WatchMeter {
  #video;
  #onFrame;
  /** @type {Interval[]} */
  #played = [];
  #stalls = 0;
  #stall_s = 0;
  #stalledAt = 0;
  /** The sample that the next one continues, or null when nothing may be continued. */
  #anchor = /** @type {{wall: number, media: number} | null} */ (null);
  /** Media seconds saved up: time on the wall that no media time has used yet, up to SLACK. */
  #spare = SLACK;

  /**
   * @param {HTMLVideoElement} video
   * @param {(media: number) => void} onFrame called with the playhead after every sample
   */
  constructor(video, onFrame) {
    this.#video = video;
    this.#onFrame = onFrame;
    if ("requestVideoFrameCallback" in HTMLVideoElement.prototype) this.#everyFrame();
    else video.addEventListener("timeupdate", () => this.#sample());
    for (const closing of ["pause", "ended"]) video.addEventListener(closing, () => this.#close());
    for (const breaking of ["seeking", "emptied", "ratechange", "volumechange"]) {
      video.addEventListener(breaking, () => this.#break());
    }
    document.addEventListener("visibilitychange", () => this.#break());
    video.addEventListener("waiting", () => this.#stallBegins());
    for (const moving of ["playing", "pause", "seeking", "emptied"]) {
      video.addEventListener(moving, () => this.#stallEnds());
    }
  }

  /** Begin a unit, with what had been watched of it before. @param {Partial<Watched>} [before] */
  begin({ played = [], stalls = 0, stall_s = 0 } = {}) {
    this.#played = played.reduce((sum, [a, b]) => join(sum, a, b), /** @type {Interval[]} */ ([]));
    this.#stalls = stalls;
    this.#stall_s = stall_s;
    this.#break();
  }

  /** @returns {readonly Interval[]} */
  get played() {
    return this.#played;
  }

  /** @returns {Watched} everything so far, as it is sent and kept */
  get watched() {
    return { played: rounded(this.#played), stalls: this.#stalls, stall_s: Math.round(this.#stall_s * 1000) / 1000 };
  }

  /** This stretch does not count after all. @param {number} from @param {number} to */
  forget(from, to) {
    this.#played = without(this.#played, from, to);
  }

  /**
   * How much of a window has been watched, 0 to 1; 1 unlocks it.
   * @param {number} from
   * @param {number} to
   */
  share(from, to) {
    return shareWatched(this.#played, from, to);
  }

  /**
   * Where to go on from a position after a reload or a new source. The playhead is read a little after the
   * last frame was: going on there would leave a gap that nobody can see, and a moment that never unlocks.
   * @param {number} position
   */
  resumeAt(position) {
    const ends = this.#played.filter(([, end]) => end <= position && position - end < RESUME_GAP_S);
    return ends.length ? Math.max(0, Math.max(...ends.map(([, end]) => end)) - 0.05) : position;
  }

  /** Whether sound would be heard, as far as a page can tell. */
  get audible() {
    return !this.#video.muted && this.#video.volume > 0;
  }

  #everyFrame() {
    this.#video.requestVideoFrameCallback(() => {
      this.#sample();
      this.#everyFrame();
    });
  }

  /** Whether what is on the screen now counts, leaving aside that it moves. */
  get #counts() {
    const { seeking, playbackRate } = this.#video;
    return (
      document.visibilityState === "visible" && this.audible && !seeking && playbackRate > 0 && playbackRate <= MAX_RATE
    );
  }

  #sample() {
    if (this.#counts && !this.#video.paused) this.#advance();
    else this.#break();
    this.#onFrame(this.#video.currentTime);
  }

  /** Playback has just stopped: what ran up to here still counts. */
  #close() {
    if (this.#counts && this.#anchor) this.#advance();
    this.#break();
    this.#onFrame(this.#video.currentTime);
  }

  #advance() {
    const now = { wall: performance.now() / 1000, media: this.#video.currentTime };
    const last = this.#anchor;
    if (!last) {
      this.#anchor = now;
      return;
    }
    const ran = now.media - last.media;
    if (ran <= 0) return; // the same frame again: the wall's time is not used up, so it stays in the account
    const allowed = this.#spare + (now.wall - last.wall) * MAX_RATE;
    if (ran <= allowed) this.#played = join(this.#played, last.media, now.media);
    // Faster than allowed: this stretch is void and nothing is left over for the next one.
    this.#spare = ran <= allowed ? Math.min(SLACK, allowed - ran) : 0;
    this.#anchor = now;
  }

  #break() {
    this.#anchor = null;
  }

  #stallBegins() {
    if (!this.#video.seeking && !this.#stalledAt) this.#stalledAt = performance.now();
  }

  #stallEnds() {
    if (!this.#stalledAt) return;
    this.#stalls += 1;
    this.#stall_s += (performance.now() - this.#stalledAt) / 1000;
    this.#stalledAt = 0;
  }
}
