/** One way to ask the server: JSON in, JSON out, and every ending sorted into three kinds. */

/**
 * @typedef {{kind: "ok", status: number, body: any}} Ok
 * @typedef {{kind: "refused", status: number, code: string, message: string, detail: any}} Refused
 *   The server understood and said no: asking again changes nothing by itself.
 * @typedef {{kind: "unreachable", status: number, retryAfterS: number}} Unreachable
 *   No word from our server (network, time-out, 5xx, 429): asking again later may help.
 * @typedef {Ok | Refused | Unreachable} Reply
 */

/** Statuses that say "later", not "no". */
const LATER = new Set([408, 425, 429]);

/**
 * The whole seconds of a Retry-After header; 0 when it is absent or a date.
 * @param {Response} response
 */
function retryAfter(response) {
  const seconds = Number(response.headers.get("Retry-After") ?? "");
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

export class Api {
  #base;
  #csrf;

  /**
   * @param {string} base address ending in "/"
   * @param {string} csrf
   */
  constructor(base, csrf) {
    this.#base = base;
    this.#csrf = csrf;
  }

  /**
   * POST `body` to `path` below the base. Never throws.
   * @param {string} path
   * @param {object} body
   * @param {number} [timeoutMs]
   * @returns {Promise<Reply>}
   */
  async post(path, body, timeoutMs = 20_000) {
    const aborter = new AbortController();
    const timer = setTimeout(() => aborter.abort(), timeoutMs);
    try {
      const response = await fetch(this.#base + path, {
        method: "POST",
        credentials: "same-origin",
        cache: "no-store",
        // A redirect is a login page or a hotel's portal, never our answer.
        redirect: "manual",
        headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": this.#csrf },
        body: JSON.stringify(body),
        signal: aborter.signal,
      });
      return await this.#sort(response);
    } catch {
      return { kind: "unreachable", status: 0, retryAfterS: 0 };
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * @param {Response} response
   * @returns {Promise<Reply>}
   */
  async #sort(response) {
    const { status } = response;
    if (status >= 500 || status < 200 || LATER.has(status)) {
      return { kind: "unreachable", status, retryAfterS: retryAfter(response) };
    }
    const body = await response.json().catch(() => null);
    if (response.ok) {
      return body === null ? { kind: "unreachable", status, retryAfterS: 0 } : { kind: "ok", status, body };
    }
    const error = body?.error ?? {};
    const code = error.code ?? (status === 403 ? "forbidden" : "invalid");
    return { kind: "refused", status, code, message: error.message ?? "", detail: { ...body, ...error } };
  }
}
