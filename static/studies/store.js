/** What a page keeps in the browser, per enrolment: JSON under a prefix of localStorage. */

/** A random UUID of version 4; `crypto.randomUUID` alone would tie the page to HTTPS. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** localStorage, or null where the browser forbids it. */
function browserStorage() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

export class Store {
  #prefix;
  #backing;
  /** What the browser refused to keep lives here for as long as the page does. @type {Map<string, string>} */
  #memory = new Map();

  /**
   * @param {string} prefix
   * @param {Storage | null} [backing]
   */
  constructor(prefix, backing = browserStorage()) {
    this.#prefix = prefix;
    this.#backing = backing;
  }

  /** Whether what was written last would outlive this page. */
  get lasting() {
    return this.#backing !== null && this.#memory.size === 0;
  }

  /**
   * The value under `name`, or `fallback` when there is none or it cannot be read.
   * @template T
   * @param {string} name
   * @param {T} fallback
   * @returns {T}
   */
  read(name, fallback) {
    try {
      const text = this.#memory.get(name) ?? this.#backing?.getItem(this.#prefix + name);
      return text == null ? fallback : JSON.parse(text);
    } catch {
      return fallback;
    }
  }

  /**
   * Keep a value; in memory only when the browser refuses (private mode, full disk).
   * @param {string} name
   * @param {unknown} value
   */
  write(name, value) {
    const text = JSON.stringify(value);
    try {
      if (!this.#backing) throw new Error("no storage");
      this.#backing.setItem(this.#prefix + name, text);
      this.#memory.delete(name);
    } catch {
      this.#memory.set(name, text);
    }
  }

  /**
   * Call back with the new value when another tab of this browser writes `name`.
   * @param {string} name
   * @param {(value: any) => void} then
   */
  onOtherTab(name, then) {
    window.addEventListener("storage", (event) => {
      if (event.key === this.#prefix + name && event.newValue !== null) then(JSON.parse(event.newValue));
    });
  }
}
