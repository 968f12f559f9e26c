/** The one timeline: every marked moment, what of it has been seen, and the playhead. */

import { spoken } from "./clip.js";

/** @typedef {import("./clip.js").Clip} Clip */
/** @typedef {import("../studies/intervals.js").Interval} Interval */

/** The least width of something to hit (CSS px, WCAG 2.5.8). */
const TARGET_PX = 26;

/** Seconds as m:ss.s. @param {number} seconds */
export function clock(seconds) {
  const tenths = Math.round(seconds * 10);
  return `${Math.floor(tenths / 600)}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}.${tenths % 10}`;
}

/**
 * Places marks so that each can be hit: as true as possible, moved apart where they would overlap.
 * @param {readonly {from: number, to: number}[]} spans in pixels, in order of time
 * @param {number} width of the track in pixels
 * @returns {{left: number, width: number}[]}
 */
export function placeMarks(spans, width) {
  const least = Math.min(TARGET_PX, width / Math.max(1, spans.length));
  const marks = spans.map(({ from, to }) => {
    const size = Math.max(least, to - from);
    return { left: (from + to - size) / 2, width: size };
  });
  let free = 0;
  for (const mark of marks) {
    mark.left = Math.max(mark.left, free);
    free = mark.left + least;
  }
  let end = width;
  for (const mark of marks.toReversed()) {
    mark.left = Math.max(0, Math.min(mark.left, end - least));
    mark.width = Math.max(least, Math.min(mark.width, end - mark.left));
    end = mark.left;
  }
  return marks;
}

/**
 * Stretches as a background: coloured where [from, to] has been seen.
 * @param {readonly Interval[]} played
 * @param {number} from
 * @param {number} to
 */
function seen(played, from, to) {
  const at = (/** @type {number} */ s) => `${(Math.min(1, Math.max(0, (s - from) / (to - from))) * 100).toFixed(2)}%`;
  const stops = played
    .filter(([a, b]) => b > from && a < to)
    .flatMap(([a, b]) => [`transparent ${at(a)}`, `var(--fill) ${at(a)} ${at(b)}`, `transparent ${at(b)}`]);
  return stops.length ? `linear-gradient(90deg, ${stops.join(", ")})` : "none";
}

export class Timeline {
  #track;
  #head;
  #all;
  #time;
  #on;
  /** @type {Clip | null} */
  #clip = null;
  /** @type {HTMLButtonElement[]} */
  #marks = [];

  /**
   * @param {{track: HTMLElement, marks: HTMLElement, head: HTMLElement, seen: HTMLElement, time: HTMLElement}} parts
   * @param {{choose: (index: number) => void, seek: (seconds: number) => void}} on
   */
  constructor(parts, on) {
    this.#track = parts.track;
    this.#list = parts.marks;
    this.#head = parts.head;
    this.#all = parts.seen;
    this.#time = parts.time;
    this.#on = on;
    new ResizeObserver(() => this.#place()).observe(parts.track);
    parts.track.addEventListener("pointerdown", (event) => this.#press(event));
    parts.track.addEventListener("pointermove", (event) => {
      if (this.#track.hasPointerCapture(event.pointerId)) this.#seekTo(event);
    });
  }

  #list;

  /** Draw a clip's moments anew. @param {Clip} clip */
  begin(clip) {
    this.#clip = clip;
    this.#track.style.setProperty("--tick", `${(10 / clip.duration) * 100}%`);
    this.#marks = clip.moments.map((_, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "mark";
      button.textContent = String(index + 1);
      button.addEventListener("click", () => this.#on.choose(index));
      // A click must not leave the focus here, or the next Space would choose again instead of playing.
      button.addEventListener("mousedown", (event) => event.preventDefault());
      return button;
    });
    this.#list.replaceChildren(
      ...this.#marks.map((button) => {
        const item = document.createElement("li");
        item.append(button);
        return item;
      }),
    );
    this.#place();
  }

  /** Show each moment's state, in colour and in words. */
  show() {
    const clip = this.#clip;
    if (!clip) return;
    clip.moments.forEach((moment, i) => {
      const value = clip.value(moment);
      const now = i === clip.current;
      const mark = this.#marks[i];
      mark.dataset.state = value === null ? "waiting" : "done";
      mark.classList.toggle("now", now);
      if (now) mark.setAttribute("aria-current", "true");
      else mark.removeAttribute("aria-current");
      const rated = value === null ? "not rated yet" : `rated ${spoken(value)}`;
      const span = `${moment.start_s.toFixed(1)} to ${moment.end_s.toFixed(1)} seconds`;
      mark.setAttribute("aria-label", `Moment ${i + 1} of ${clip.moments.length}, ${span}, ${rated}`);
      mark.title = rated;
    });
  }

  /**
   * Move the playhead and fill in what has been seen.
   * @param {number} position
   * @param {readonly Interval[]} played
   */
  move(position, played) {
    const clip = this.#clip;
    if (!clip) return;
    this.#head.style.insetInlineStart = `${Math.min(1, position / clip.duration) * 100}%`;
    this.#time.textContent = `${clock(position)} / ${clock(clip.duration)}`;
    this.#all.style.backgroundImage = seen(played, 0, clip.duration);
    clip.moments.forEach(({ start_s, end_s }, i) => {
      this.#marks[i].style.setProperty("--seen", seen(played, start_s, end_s));
    });
  }

  #place() {
    const clip = this.#clip;
    const width = this.#track.clientWidth;
    if (!clip || !width) return;
    const px = (/** @type {number} */ s) => (s / clip.duration) * width;
    const spans = clip.moments.map((moment) => ({ from: px(moment.start_s), to: px(moment.end_s) }));
    placeMarks(spans, width).forEach(({ left, width: size }, i) => {
      this.#marks[i].style.insetInlineStart = `${left}px`;
      this.#marks[i].style.inlineSize = `${size}px`;
    });
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (event.button !== 0 || (event.target instanceof Element && event.target.closest("button"))) return;
    this.#track.setPointerCapture(event.pointerId);
    this.#seekTo(event);
  }

  /** @param {PointerEvent} event */
  #seekTo(event) {
    const clip = this.#clip;
    const box = this.#track.getBoundingClientRect();
    if (!clip || !box.width) return;
    this.#on.seek(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * clip.duration);
  }
}
