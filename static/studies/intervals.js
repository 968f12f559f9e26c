/** Arithmetic of watched stretches: sorted, disjoint pairs [from, to) in seconds of media time. */

/** @typedef {[number, number]} Interval */

/** Ends closer than this are one stretch (s): less than a frame, more than a rounding error. */
const TOUCHING = 0.002;

/** What has to be covered of a window, and how much of each edge may be missing (s). */
export const SHARE = 0.95;
export const EDGE = 0.1;

/**
 * The union with one more stretch.
 * @param {readonly Interval[]} stretches
 * @param {number} from
 * @param {number} to
 * @returns {Interval[]}
 */
export function join(stretches, from, to) {
  if (!(to > from)) return [...stretches];
  const before = stretches.filter(([, end]) => end < from - TOUCHING);
  const after = stretches.filter(([start]) => start > to + TOUCHING);
  const touched = stretches.slice(before.length, stretches.length - after.length);
  const start = Math.min(from, ...touched.map(([a]) => a));
  const end = Math.max(to, ...touched.map(([, b]) => b));
  return [...before, [start, end], ...after];
}

/**
 * What is left without [from, to].
 * @param {readonly Interval[]} stretches
 * @param {number} from
 * @param {number} to
 * @returns {Interval[]}
 */
export function without(stretches, from, to) {
  return stretches
    .flatMap(([a, b]) => /** @type {Interval[]} */ ([[a, Math.min(b, from)], [Math.max(a, to), b]]))
    .filter(([a, b]) => b > a);
}

/**
 * How many seconds of [from, to] the stretches cover.
 * @param {readonly Interval[]} stretches
 * @param {number} from
 * @param {number} to
 */
export function covered(stretches, from, to) {
  return stretches.reduce((sum, [a, b]) => sum + Math.max(0, Math.min(b, to) - Math.max(a, from)), 0);
}

/**
 * How far along a window is: 0 to 1, and 1 exactly when it counts as watched.
 * @param {readonly Interval[]} stretches
 * @param {number} from
 * @param {number} to
 */
export function shareWatched(stretches, from, to) {
  // A window hardly longer than its slack keeps half of itself to be seen.
  const edge = Math.min(EDGE, (to - from) / 4);
  const need = SHARE * (to - from - 2 * edge);
  return need <= 0 ? 1 : Math.min(1, (covered(stretches, from + edge, to - edge) + 1e-6) / need);
}

/**
 * The stretches as they are sent: milliseconds are enough.
 * @param {readonly Interval[]} stretches
 * @returns {Interval[]}
 */
export function rounded(stretches) {
  return stretches.map(([a, b]) => [Math.round(a * 1000) / 1000, Math.round(b * 1000) / 1000]);
}
