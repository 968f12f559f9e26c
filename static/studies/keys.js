/**
 * One key handler for a page: one press, one action. Nothing acts while someone writes, composes, holds a
 * key down or uses a browser's shortcut. Digits count wherever they stand on the keyboard.
 */

/** @typedef {import("./store.js").Store} Store */
/** @typedef {(event: KeyboardEvent) => boolean | void} Action false: not taken, the browser may have it */

/** Inputs that take no text, so that digits and letters are free. */
const WORDLESS = new Set(["range", "checkbox", "radio", "button", "submit"]);
const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);

/**
 * The name a key is bound by: "0" to "9", "a" to "z", "?", ",", "Space", "Enter", "ArrowLeft"; "" for none.
 * @param {KeyboardEvent} event
 */
export function keyName(event) {
  const { key, code, shiftKey } = event;
  if (/^[0-9]$/.test(key)) return key; // number pad, top row, and AZERTY's top row with Shift
  if (key === "?") return "?";
  if (shiftKey) return "";
  const row = /^(?:Digit|Numpad)([0-9])$/.exec(code);
  if (row) return row[1]; // AZERTY's top row types letters and signs, a number pad without NumLock moves
  if (code === "Space" || key === " ") return "Space";
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  const letter = /^Key([A-Z])$/.exec(code);
  if (letter && key.length === 1) return letter[1].toLowerCase(); // Cyrillic, Greek, Arabic …
  return key;
}

/**
 * Whether the element keeps this key for itself.
 * @param {EventTarget | null} target
 * @param {string} name
 */
function keepsKey(target, name) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches("textarea, select")) return true;
  if (target instanceof HTMLInputElement) {
    if (!WORDLESS.has(target.type)) return true;
    if (ARROWS.has(name)) return true;
  }
  // A focused button is pressed by Space and Enter: that is the one thing they do there.
  return (name === "Space" || name === "Enter") && target.closest("button, a[href], summary, input, label") !== null;
}

export class Keys {
  #store;
  #area;
  /** @type {Map<string, Action>} */
  #actions = new Map();

  /**
   * @param {Store} store remembers the person's choices
   * @param {HTMLElement} area where keys act in the mode "focus"
   */
  constructor(store, area) {
    this.#store = store;
    this.#area = area;
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  /**
   * Where single keys act; people who dictate or tremble can restrict them or switch them off (WCAG 2.1.4).
   * @returns {"everywhere" | "focus" | "off"}
   */
  get mode() {
    return this.#store.read("keys", "everywhere");
  }

  set mode(mode) {
    this.#store.write("keys", mode);
  }

  /** Keys a person has put in the place of the usual ones: {usual: own}. @returns {Record<string, string>} */
  get own() {
    return this.#store.read("own-keys", {});
  }

  set own(own) {
    this.#store.write("own-keys", own);
  }

  /**
   * @param {string} name the usual key, as `keyName` gives it
   * @param {Action} action
   */
  bind(name, action) {
    this.#actions.set(name, action);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
    if (event.ctrlKey || event.altKey || event.metaKey || event.getModifierState("AltGraph")) return;
    const name = keyName(event);
    const usual = this.#usual(name);
    if (event.repeat) {
      // A held Enter would press a focused button again and again.
      const pressed = event.target instanceof Element && event.target.closest("button, a[href]");
      if (pressed && (name === "Enter" || name === "Space")) event.preventDefault();
      else if (this.#takes(event, name, usual)) event.preventDefault(); // nor may a held Space scroll the page
      return;
    }
    if (this.#takes(event, name, usual) && this.#actions.get(usual)?.(event) !== false) event.preventDefault();
  }

  /** The usual key that a pressed one stands for; "" for one that was given away. @param {string} name */
  #usual(name) {
    const { own } = this;
    const meant = Object.keys(own).find((usual) => own[usual] === name);
    return meant ?? (name in own ? "" : name);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {string} name
   * @param {string} usual
   */
  #takes(event, name, usual) {
    const { mode } = this;
    if (mode === "off" || (mode === "focus" && !this.#area.contains(document.activeElement))) return false;
    return this.#actions.has(usual) && !keepsKey(event.target, name) && !document.querySelector("dialog[open]");
  }
}
