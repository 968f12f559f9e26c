/** Moving about in a clip: which moment is the current one, where the playhead goes, when it stops. */

import { covered } from "../studies/intervals.js";

/** @typedef {import("../studies/player.js").Player} Player */
/** @typedef {import("../studies/watch.js").WatchMeter} WatchMeter */
/** @typedef {import("./clip.js").Clip} Clip */
/**
 * @typedef {object} RatingEvents
 * @property {() => void} change something to be drawn
 * @property {() => void} locked a score came before its moment had been watched
 * @property {(text: string) => void} say something a screen reader should hear
 */

/** What may be missing of a stretch that is to be continued without going back (s). */
const GAP_S = 0.15;

export class Walk {
  /** @type {Clip | null} */
  clip = null;
  /** Everything is said and nothing has been done since: the next clip is one key away. */
  finished = false;
  /** Where the last frame was, or the last jump went (s). */
  lastMedia = 0;

  /**
   * @param {Player} player
   * @param {WatchMeter} meter
   * @param {RatingEvents} on
   */
  constructor(player, meter, on) {
    this.player = player;
    this.meter = meter;
    this.on = on;
  }

  /** How much of the whole clip still has to be seen first: 1 when nothing has. */
  get wholeShare() {
    return this.clip?.whole ? this.meter.share(0, this.clip.duration) : 1;
  }

  /** How much of the current moment has been watched; 1 unlocks it. */
  get momentShare() {
    const { clip } = this;
    return clip ? this.meter.share(clip.moment.start_s, clip.moment.end_s) : 0;
  }

  get unlocked() {
    return this.wholeShare >= 1 && this.momentShare >= 1;
  }

  /** Go to a moment, from a little before it. @param {number} index */
  choose(index) {
    const { clip } = this;
    if (!clip?.moments[index] || clip.report) return;
    this.finished = false;
    this.goTo(index, { run: this.player.running });
    this.on.say(`Moment ${index + 1} of ${clip.moments.length}`);
  }

  /** @param {-1 | 1} by */
  step(by) {
    if (this.clip) this.choose(Math.min(this.clip.moments.length - 1, Math.max(0, this.clip.current + by)));
  }

  replay() {
    if (!this.clip || this.clip.report) return;
    this.finished = false;
    this.goTo(this.clip.current, { run: true });
  }

  playOrPause() {
    const { clip } = this;
    if (!clip || clip.report) return;
    this.finished = false;
    const { running, video, position } = this.player;
    if (!running && (video.ended || position >= clip.duration - 0.05)) this.replay();
    else this.player.toggle();
    this.on.change();
  }

  /** @param {number} to seconds */
  seek(to) {
    if (!this.clip || this.clip.report) return;
    this.finished = false;
    this.lastMedia = to;
    this.player.seek(to);
  }

  /** A frame was shown: stop at the end of a moment that waits for its score. @param {number} media */
  frame(media) {
    const { clip } = this;
    const last = this.lastMedia;
    this.lastMedia = media;
    if (!clip || !this.player.running || media <= last) return;
    if (clip.value(clip.moment) === null) {
      if (this.wholeShare >= 1 && last < clip.moment.end_s && media >= clip.moment.end_s) this.player.pause("us");
      return;
    }
    // Watching on from a moment already rated: the next open one becomes the current one as it begins.
    const entered = clip.moments.findIndex((m) => clip.value(m) === null && last < m.start_s && media >= m.start_s);
    if (entered >= 0) {
      clip.current = entered;
      this.on.change();
    }
  }

  /** The clip has run to its end. In whole-clip studies the rating begins now, with the first moment. */
  ended() {
    const { clip } = this;
    if (!clip?.whole || clip.allRated || this.wholeShare < 1 || this.player.position < clip.duration - 0.5) return;
    if (clip.moments.some((moment) => clip.value(moment) !== null)) return;
    this.goTo(0, { run: false });
    this.on.say("The whole clip has been watched. Rate its moments now.");
  }

  /**
   * Make a moment the current one and go to where watching it begins.
   * @param {number} index
   * @param {{run: boolean, keepInside?: boolean}} how `keepInside`: no need to go back when the playhead is on its
   *   way into the moment and nothing of it was missed
   */
  goTo(index, { run, keepInside = false }) {
    const { clip } = this;
    if (!clip) return;
    clip.current = index;
    const { start_s, end_s } = clip.moment;
    const at = this.player.position;
    const lead = clip.lead(clip.moment);
    const unbroken = at < start_s || at - start_s - covered(this.meter.played, start_s, at) < GAP_S;
    if (!(keepInside && at >= lead && at < end_s && unbroken)) {
      this.lastMedia = lead;
      this.player.seek(lead);
    }
    if (run) void this.player.play();
    this.on.change();
  }
}
