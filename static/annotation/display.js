/** Draws the rater: every part of the page as it is now, from what is known now. */

import { byId } from "../studies/page.js";
import { REASONS, spoken } from "./clip.js";

/** @typedef {import("../studies/panel.js").Panel} Panel */
/** @typedef {import("../studies/player.js").Player} Player */
/** @typedef {import("../studies/flow.js").Flow} Flow */
/** @typedef {import("../studies/practice.js").Practice} Practice */
/** @typedef {import("./rating.js").Rating} Rating */
/** @typedef {import("./scale.js").Scale} Scale */
/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("./clip.js").Clip} Clip */

const parts = {
  bigPlay: byId("big-play"),
  bigPlayText: byId("big-play-text"),
  cue: byId("cue"),
  loading: byId("loading"),
  play: byId("play"),
  keyPlay: byId("key-play"),
  sound: byId("sound"),
  volume: /** @type {HTMLInputElement} */ (byId("volume")),
  next: byId("next"),
  problem: /** @type {HTMLButtonElement} */ (byId("open-problem")),
  undo: /** @type {HTMLButtonElement} */ (byId("key-undo")),
  count: byId("count"),
  progress: byId("progress"),
};

/**
 * What the line above the scale says, and whether the scale is locked.
 * @param {Rating} rating
 * @param {Player} player
 * @returns {{tone: "locked" | "ready" | "done" | "sound", text: string}}
 */
export function lineOf(rating, player) {
  const { clip } = rating;
  if (!clip) return { tone: "locked", text: "Opening the clip…" };
  if (clip.report) return { tone: "done", text: `This clip is skipped.${rating.practice ? "" : " Undo brings it back."}` };
  const value = clip.value(clip.moment);
  if (rating.final) return { tone: "done", text: `Rated ${spoken(value)}. In practice the first answer counts.` };
  if (value !== null) {
    const change = rating.unlocked ? "Another number changes it." : "Watch it again to change it.";
    return { tone: "done", text: `Rated ${spoken(value)}. ${change}` };
  }
  if (rating.unlocked) return { tone: "ready", text: `Rate moment ${clip.current + 1}: 0, 1, 2 or 3` };
  if (!player.audible) return { tone: "sound", text: "Sound is off: turn it on to rate" };
  const percent = (/** @type {number} */ share) => ` ·\u00a0${Math.min(99, Math.floor(share * 100))}\u00a0%`;
  if (rating.wholeShare < 1) return { tone: "locked", text: `Watch the whole clip once to rate it${percent(rating.wholeShare)}` };
  const missed = !player.running && player.position >= clip.moment.end_s - 0.05;
  return { tone: "locked", text: `Watch the moment to its end to rate it${percent(rating.momentShare)}${missed ? " · R replays it" : ""}` };
}

export class Display {
  #rating;
  #player;
  #flow;
  #scale;
  #timeline;
  #panel;
  #practice;
  #acts;
  #say;
  #wasReady = false;
  /** Clips there are for this person, done ones included; 0 when that is not known. */
  #total = 0;

  /**
   * @param {{rating: Rating, player: Player, flow: Flow, scale: Scale, timeline: Timeline, panel: Panel, practice: Practice}} tools
   * @param {{next: () => void, undo: () => void, stay: () => void, retry: () => void, problem: () => void}} acts of the panels' buttons
   * @param {(text: string) => void} say
   */
  constructor({ rating, player, flow, scale, timeline, panel, practice }, acts, say) {
    this.#rating = rating;
    this.#player = player;
    this.#flow = flow;
    this.#scale = scale;
    this.#timeline = timeline;
    this.#panel = panel;
    this.#practice = practice;
    this.#acts = acts;
    this.#say = say;
  }

  /**
   * Where the person is among the clips, when a clip has been opened or none is left.
   * @param {{done: number, left: number | null}} progress
   * @param {boolean} working
   */
  progress({ done, left }, working) {
    this.#total = left === null ? 0 : done + left;
    const number = working ? `Clip ${done + 1}` : `${done} done`;
    parts.count.hidden = this.#rating.practice; // the practice has a line of its own
    parts.count.textContent = working && this.#total ? `${number} of ${this.#total}` : number;
    this.bar(done);
  }

  /** How much is done: grows with the answer that finishes a clip. @param {number} done */
  bar(done) {
    const total = this.#total;
    parts.progress.hidden = !total || this.#rating.practice;
    if (!total) return;
    parts.progress.setAttribute("aria-valuemax", String(total));
    parts.progress.setAttribute("aria-valuenow", String(done));
    const bar = /** @type {HTMLElement} */ (parts.progress.firstElementChild);
    bar.style.inlineSize = `${(done / total) * 100}%`;
  }

  /** Draw everything but the playhead. @param {boolean} gaveUp the medium could not be mended */
  draw(gaveUp) {
    this.#drawStage(gaveUp);
    this.#drawControls();
    this.drawLine();
    this.#timeline.show();
  }

  /** Draw the line above the scale and the scale. */
  drawLine() {
    const { clip } = this.#rating;
    const line = lineOf(this.#rating, this.#player);
    const locked = !clip || Boolean(clip.report) || !this.#rating.unlocked || this.#rating.final;
    this.#scale.show({ ...line, value: clip ? clip.value(clip.moment) : null, locked });
    const ready = line.tone === "ready";
    if (ready && !this.#wasReady) this.#say(`Watched. ${line.text}`);
    this.#wasReady = ready;
  }

  /** @param {boolean} gaveUp */
  #drawStage(gaveUp) {
    const { clip, finished } = this.#rating;
    const player = this.#player;
    const content = clip && this.#panelContent(clip, finished, gaveUp);
    if (content) this.#panel.show(content);
    else this.#panel.hide();
    parts.cue.hidden = !clip || Boolean(content);
    if (clip) {
      const { start_s, end_s } = clip.moment;
      const [name, span] = parts.cue.children;
      name.textContent = `Moment ${clip.current + 1} of ${clip.moments.length}`;
      span.textContent = `${start_s.toFixed(1)} – ${end_s.toFixed(1)} s`;
    }
    parts.bigPlay.hidden = !clip || player.running || Boolean(content);
    parts.bigPlayText.textContent = player.refused ? "Play: the browser wants a click or a key first" : "Play";
    parts.loading.hidden = !clip || !player.loading || Boolean(content);
    parts.next.hidden = !clip || Boolean(content) || !(clip.allRated || clip.report);
  }

  /**
   * @param {Clip} clip
   * @param {boolean} finished
   * @param {boolean} gaveUp
   * @returns {import("../studies/panel.js").PanelContent | null}
   */
  #panelContent(clip, finished, gaveUp) {
    const { next, undo, stay, retry, problem } = this.#acts;
    const { practice } = this.#rating;
    const back = practice ? [] : [{ label: "Undo", key: "Z", press: undo }];
    if (finished && this.#flow.waiting) {
      const text = this.#flow.waitingText;
      return { name: "waiting", title: "You are offline", text, actions: [{ label: "Stay with this clip", press: stay }, ...back] };
    }
    if (finished && this.#flow.wanted) return { name: "opening", title: "Opening the next clip…" };
    const word = this.#practice.atLast ? "See how it went" : "Next clip";
    const go = { label: word, key: "Enter", primary: true, press: next };
    if (finished && clip.report) {
      const reason = REASONS[/** @type {keyof typeof REASONS} */ (clip.report.reason)] ?? "a problem";
      const text = `Reported: ${reason}. ${practice ? "Practice goes on with the next one." : "The clip counts as done."}`;
      return { name: "skipped", title: "Skipped", text, actions: [go, ...back] };
    }
    if (finished) {
      const n = clip.moments.length;
      return { name: "done", title: n === 1 ? "The moment is rated" : `All ${n} moments rated`, actions: [go, ...back] };
    }
    if (!gaveUp) return null;
    const text = navigator.onLine
      ? "It was tried several times. Try again, or report the problem and go on with another clip; it counts as done."
      : "You are offline. The clip goes on at the same second when the connection is back.";
    const actions = [{ label: "Try again", primary: true, press: retry }, { label: "Problem with this clip", press: problem }];
    return { name: "fault", title: "The clip does not play", text, actions };
  }

  #drawControls() {
    const { running, audible, video } = this.#player;
    document.body.classList.toggle("running", running);
    document.body.classList.toggle("silent", !audible);
    parts.play.setAttribute("aria-label", running ? "Pause" : "Play");
    const word = parts.keyPlay.querySelector("span");
    if (word) word.textContent = running ? "pause" : "play";
    parts.sound.setAttribute("aria-pressed", String(audible));
    const volume = String(audible ? Math.round(video.volume * 100) : 0);
    if (parts.volume.value !== volume) parts.volume.value = volume;
    parts.undo.disabled = this.#rating.practice;
    parts.problem.disabled = !this.#rating.clip || Boolean(this.#rating.clip.report);
  }
}
