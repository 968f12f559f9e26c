/** What a rater can do with a clip, and what each act leads to. Draws nothing: `onChange` does. */

import { covered } from "../studies/intervals.js";
import { uuid } from "../studies/store.js";
import { Clip } from "./clip.js";

/** @typedef {import("../studies/player.js").Player} Player */
/** @typedef {import("../studies/watch.js").WatchMeter} WatchMeter */
/** @typedef {import("../studies/queue.js").AnswerQueue} AnswerQueue */
/** @typedef {import("../studies/queue.js").AnswerEvent} AnswerEvent */
/** @typedef {import("../studies/kept.js").Kept} Kept */
/** @typedef {import("../studies/kept.js").ActiveTime} ActiveTime */
/** @typedef {{assignment: number, scope: "question" | "unit", question: string, head: string}} Previous */

/** A second digit sooner than this after a score is a slip of the finger, not a judgement (ms). */
const SLIP_MS = 250;
/** What may be missing of a stretch that is to be continued without going back (s). */
const GAP_S = 0.15;

export class Rating {
  /** @type {Clip | null} */
  clip = null;
  /** The last answer of the unit before, which Z takes back as long as nothing was said here. @type {Previous | null} */
  previous = null;
  /** Everything is said and nothing has been done since: the next clip is one key away. */
  finished = false;
  #player;
  #meter;
  #queue;
  #kept;
  #active;
  #on;
  #scoredAt = 0;
  #lastMedia = 0;

  /**
   * @param {{player: Player, meter: WatchMeter, queue: AnswerQueue, kept: Kept, active: ActiveTime}} tools
   * @param {{change: () => void, locked: () => void, say: (text: string) => void}} on `locked`: a digit came
   *   too early; `say`: something a screen reader should hear
   */
  constructor({ player, meter, queue, kept, active }, on) {
    this.#player = player;
    this.#meter = meter;
    this.#queue = queue;
    this.#kept = kept;
    this.#active = active;
    this.#on = on;
  }

  /** Take over what `open` answered; the same clip again keeps its place. @param {any} body */
  begin(body) {
    this.previous = body.previous ?? null;
    const same = this.clip?.id === body.assignment.id ? this.clip : null;
    if (!same) this.save();
    const kept = this.#kept.load(body.assignment.id);
    const clip = same ?? new Clip(body, kept.history ?? []);
    clip.learn(body);
    for (const { event, shown } of this.#queue.items) if (event.assignment === clip.id) clip.recall(event, shown);
    if (!same) this.#show(clip, body, kept);
    this.finished = clip.allRated || Boolean(clip.report);
  }

  /**
   * Put a clip on the desk as it was left, if it was here before.
   * @param {Clip} clip
   * @param {any} body
   * @param {Record<string, any>} kept
   */
  #show(clip, body, kept) {
    this.clip = clip;
    clip.start();
    const { played = [], ...stalls } = kept.watched ?? {};
    // What another device has told the server was watched here counts as well.
    this.#meter.begin({ ...stalls, played: [...played, ...(body.played?.reaction ?? [])] });
    this.#active.seconds = kept.active_s ?? 0;
    const started = clip.moments.some((moment) => clip.value(moment) !== null);
    const at = kept.position ?? (started ? clip.lead(clip.moment) : 0);
    this.#lastMedia = at;
    this.#player.load(body.media.reaction.url, { at });
  }

  /** Nothing to work on any more. @param {Previous | null} [previous] what Z would still take back */
  end(previous = null) {
    this.save();
    this.previous = previous;
    this.clip = null;
    this.finished = false;
    this.#player.pause("us");
  }

  /** Keep in the browser what a reload would lose. */
  save() {
    if (!this.clip) return;
    const position = Math.round(this.#player.position * 1000) / 1000;
    this.#kept.save(this.clip.id, {
      watched: this.#meter.watched,
      active_s: this.#active.seconds,
      history: this.clip.history,
      position,
    });
  }

  /** How much of the whole clip still has to be seen first: 1 when nothing has. */
  get wholeShare() {
    return this.clip?.whole ? this.#meter.share(0, this.clip.duration) : 1;
  }

  /** How much of the current moment has been watched; 1 unlocks it. */
  get momentShare() {
    const { clip } = this;
    return clip ? this.#meter.share(clip.moment.start_s, clip.moment.end_s) : 0;
  }

  get unlocked() {
    return this.wholeShare >= 1 && this.momentShare >= 1;
  }

  /** @param {number} value */
  score(value) {
    const { clip } = this;
    if (!clip) return;
    if (performance.now() - this.#scoredAt < SLIP_MS) return;
    if (clip.report || !this.unlocked) return this.#on.locked();
    this.#scoredAt = performance.now();
    if (clip.value(clip.moment) !== value) this.#submit("answer", "question", clip.moment.key, value);
    this.#advance(clip);
  }

  /** @param {string} reason */
  report(reason) {
    if (!this.clip || this.clip.report) return;
    this.#player.pause("us");
    this.#submit("report", "unit", "", { reason });
    this.finished = true;
    this.#on.change();
  }

  /** Take back the last thing said about this clip. @returns {boolean} false: nothing was said about it */
  undo() {
    const { clip } = this;
    const step = clip?.lastStep;
    if (!clip || !step) return false;
    this.finished = false;
    this.#submit("undo", step.scope, step.question, null);
    if (step.scope === "question") {
      this.#goTo(clip.moments.findIndex((moment) => moment.key === step.question), { run: this.#player.running });
    }
    this.#on.say(step.scope === "unit" ? "The clip is back" : `Undone: moment ${clip.current + 1}`);
    this.#on.change();
    return true;
  }

  /** Take back the last answer of the unit before. The page opens that unit again once it is stored. */
  undoPrevious() {
    const { previous } = this;
    if (!previous) return null;
    const { assignment, scope, question, head } = previous;
    const { history = [], position: _, ...rest } = this.#kept.load(assignment);
    const at = history.findLastIndex((/** @type {any} */ step) => step.scope === scope && step.question === question);
    this.#kept.save(assignment, { ...rest, history: history.filter((/** @type {any} */ _step, /** @type {number} */ i) => i !== at) });
    this.previous = null;
    const said = { played: { reaction: rest.watched?.played ?? [] }, active_s: rest.active_s ?? 0 };
    const stood = { stalls: rest.watched?.stalls ?? 0, stall_s: rest.watched?.stall_s ?? 0 };
    const event_id = uuid();
    this.#queue.add(
      { event_id, assignment, action: "undo", scope, question, value: null, replaces: head, ...said, ...stood },
      history[at]?.before ?? null,
    );
    return event_id;
  }

  /**
   * The server holds another answer to a question than this page thought.
   * @param {AnswerEvent} event the one it refused
   * @param {import("./clip.js").Said | null} stored
   * @param {number} index of the moment
   */
  corrected(event, stored, index) {
    const { clip } = this;
    if (!clip) return;
    clip.correct(event, stored);
    clip.current = index;
    this.finished = clip.allRated;
    this.#player.pause("us");
  }

  /** The server has not seen these stretches watched: they have to be seen again. @param {[number, number][]} missing */
  rewatch(missing) {
    for (const [from, to] of missing) this.#meter.forget(from, to);
    this.save();
  }

  /** Go to a moment, from a little before it. @param {number} index */
  choose(index) {
    const { clip } = this;
    if (!clip?.moments[index] || clip.report) return;
    this.finished = false;
    this.#goTo(index, { run: this.#player.running });
    this.#on.say(`Moment ${index + 1} of ${clip.moments.length}`);
  }

  /** @param {-1 | 1} by */
  step(by) {
    if (this.clip) this.choose(Math.min(this.clip.moments.length - 1, Math.max(0, this.clip.current + by)));
  }

  replay() {
    if (!this.clip || this.clip.report) return;
    this.finished = false;
    this.#goTo(this.clip.current, { run: true });
  }

  playOrPause() {
    const { clip } = this;
    if (!clip || clip.report) return;
    this.finished = false;
    const { running, video, position } = this.#player;
    if (!running && (video.ended || position >= clip.duration - 0.05)) this.replay();
    else this.#player.toggle();
    this.#on.change();
  }

  /** @param {number} to seconds */
  seek(to) {
    if (!this.clip || this.clip.report) return;
    this.finished = false;
    this.#lastMedia = to;
    this.#player.seek(to);
  }

  /** A frame was shown: stop at the end of a moment that waits for its score. @param {number} media */
  frame(media) {
    const { clip } = this;
    const last = this.#lastMedia;
    this.#lastMedia = media;
    if (!clip || !this.#player.running || media <= last) return;
    if (clip.value(clip.moment) === null) {
      if (this.wholeShare >= 1 && last < clip.moment.end_s && media >= clip.moment.end_s) this.#player.pause("us");
      return;
    }
    // Watching on from a moment already rated: the next open one becomes the current one as it begins.
    const entered = clip.moments.findIndex((m) => clip.value(m) === null && last < m.start_s && media >= m.start_s);
    if (entered >= 0) {
      clip.current = entered;
      this.#on.change();
    }
  }

  /** The clip has run to its end. In whole-clip studies the rating begins now, with the first moment. */
  ended() {
    const { clip } = this;
    if (!clip?.whole || clip.allRated || this.wholeShare < 1 || this.#player.position < clip.duration - 0.5) return;
    if (clip.moments.some((moment) => clip.value(moment) !== null)) return;
    this.#goTo(0, { run: false });
    this.#on.say("The whole clip has been watched. Rate its moments now.");
  }

  /** @param {Clip} clip */
  #advance(clip) {
    const next = clip.nextUnrated(clip.current);
    if (next < 0) {
      this.finished = true;
      if (this.#player.running) this.#player.pause("us");
    } else {
      this.#goTo(next, { run: this.#player.running || this.#player.pausedBy === "us", keepInside: true });
    }
    this.#on.change();
  }

  /**
   * Make a moment the current one and go to where watching it begins.
   * @param {number} index
   * @param {{run: boolean, keepInside?: boolean}} how `keepInside`: no need to go back when the playhead is on its
   *   way into the moment and nothing of it was missed
   */
  #goTo(index, { run, keepInside = false }) {
    const { clip } = this;
    if (!clip) return;
    clip.current = index;
    const { start_s, end_s } = clip.moment;
    const at = this.#player.position;
    const lead = clip.lead(clip.moment);
    const unbroken = at < start_s || at - start_s - covered(this.#meter.played, start_s, at) < GAP_S;
    if (!(keepInside && at >= lead && at < end_s && unbroken)) {
      this.#lastMedia = lead;
      this.#player.seek(lead);
    }
    if (run) void this.#player.play();
    this.#on.change();
  }

  /**
   * @param {AnswerEvent["action"]} action
   * @param {AnswerEvent["scope"]} scope
   * @param {string} question
   * @param {any} value
   */
  #submit(action, scope, question, value) {
    const { clip } = this;
    if (!clip) return;
    this.#active.tick();
    const { played, stalls, stall_s } = this.#meter.watched;
    const active_s = Math.round(this.#active.seconds * 10) / 10;
    /** @type {AnswerEvent} */
    const event = {
      event_id: uuid(),
      assignment: clip.id,
      action,
      scope,
      question,
      value,
      replaces: clip.head(scope, question),
      played: { reaction: played },
      active_s,
      stalls,
      stall_s,
    };
    clip.say(event);
    this.save();
    this.#queue.add(event, clip.shown(scope, question));
  }
}
