/** What a rater can do with a clip, and what each act leads to. Draws nothing: `onChange` does. */

import { uuid } from "../studies/store.js";
import { Clip } from "./clip.js";
import { Walk } from "./walk.js";

/** @typedef {import("../studies/player.js").Player} Player */
/** @typedef {import("../studies/watch.js").WatchMeter} WatchMeter */
/** @typedef {import("../studies/queue.js").AnswerQueue} AnswerQueue */
/** @typedef {import("../studies/queue.js").AnswerEvent} AnswerEvent */
/** @typedef {import("../studies/kept.js").Kept} Kept */
/** @typedef {import("../studies/kept.js").ActiveTime} ActiveTime */
/** @typedef {{assignment: number, scope: "question" | "unit", question: string, head: string}} Previous */

/** A second digit sooner than this after a score is a slip of the finger, not a judgement (ms). */
const SLIP_MS = 250;

export class Rating extends Walk {
  /** The last answer of the unit before, which Z takes back as long as nothing was said here. @type {Previous | null} */
  previous = null;
  /** The clip is one of the practice, where the first answer counts. */
  practice = false;
  #queue;
  #kept;
  #active;
  #scoredAt = 0;

  /**
   * @param {{player: Player, meter: WatchMeter, queue: AnswerQueue, kept: Kept, active: ActiveTime}} tools
   * @param {import("./walk.js").RatingEvents} on
   */
  constructor({ player, meter, queue, kept, active }, on) {
    super(player, meter, on);
    this.#queue = queue;
    this.#kept = kept;
    this.#active = active;
  }

  /** Take over what `open` answered; the same clip again keeps its place. @param {any} body */
  begin(body) {
    this.previous = body.previous ?? null;
    this.practice = Boolean(body.practice);
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
    this.meter.begin({ ...stalls, played: [...played, ...(body.played?.reaction ?? [])] });
    this.#active.begin(kept.active_s);
    const started = clip.moments.some((moment) => clip.value(moment) !== null);
    const at = kept.position ?? (started ? clip.lead(clip.moment) : 0);
    this.lastMedia = at;
    this.player.load(body.media.reaction.url, { at });
  }

  /** Nothing to work on any more. @param {Previous | null} [previous] what Z would still take back */
  end(previous = null) {
    this.save();
    this.previous = previous;
    this.clip = null;
    this.finished = false;
    this.player.pause("us");
  }

  /** Keep in the browser what a reload would lose. */
  save() {
    if (!this.clip) return;
    const position = Math.round(this.player.position * 1000) / 1000;
    this.#kept.save(this.clip.id, {
      watched: this.meter.watched,
      active_s: this.#active.seconds,
      history: this.clip.history,
      position,
    });
  }

  /** @param {number} value */
  score(value) {
    const { clip } = this;
    if (!clip) return;
    if (performance.now() - this.#scoredAt < SLIP_MS) return;
    if (clip.report || !this.unlocked || this.final) return this.on.locked();
    this.#scoredAt = performance.now();
    if (clip.value(clip.moment) !== value) this.#submit("answer", "question", clip.moment.key, value);
    this.#advance(clip);
  }

  /** Whether the current moment's answer can't be changed any more. */
  get final() {
    return this.practice && this.clip !== null && this.clip.value(this.clip.moment) !== null;
  }

  /** @param {string} reason */
  report(reason) {
    if (!this.clip || this.clip.report) return;
    this.player.pause("us");
    this.#submit("report", "unit", "", { reason });
    this.finished = true;
    this.on.change();
  }

  /** Take back the last thing said about this clip. @returns {boolean} false: nothing was said about it */
  undo() {
    const { clip } = this;
    const step = clip?.lastStep;
    if (!clip || !step) return false;
    this.finished = false;
    this.#submit("undo", step.scope, step.question, null);
    if (step.scope === "question") {
      this.goTo(clip.moments.findIndex((moment) => moment.key === step.question), { run: this.player.running });
    }
    this.on.say(step.scope === "unit" ? "The clip is back" : `Undone: moment ${clip.current + 1}`);
    this.on.change();
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
    this.player.pause("us");
  }

  /** The server has not seen these stretches watched: they have to be seen again. @param {[number, number][]} missing */
  rewatch(missing) {
    for (const [from, to] of missing) this.meter.forget(from, to);
    this.save();
  }

  /** @param {Clip} clip */
  #advance(clip) {
    const next = clip.nextUnrated(clip.current);
    if (next < 0) {
      this.finished = true;
      if (this.player.running) this.player.pause("us");
    } else {
      // In practice there is something to read after each answer.
      const run = !this.practice && (this.player.running || this.player.pausedBy === "us");
      if (this.practice && this.player.running) this.player.pause("us");
      this.goTo(next, { run, keepInside: true });
    }
    this.on.change();
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
    const { played, stalls, stall_s } = this.meter.watched;
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
