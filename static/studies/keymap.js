/** The part of the keys dialog where people say how, and with which keys, shortcuts act. */

/** @typedef {import("./keys.js").Keys} Keys */

import { keyName } from "./keys.js";

/** Keys that cannot be given another meaning: they move about in the page. */
const TAKEN = new Set(["Space", "Enter", "Tab", "Escape", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

export class Keymap {
  #keys;
  #box;
  #status;
  /** @type {HTMLInputElement[]} */
  #fields;

  /**
   * @param {Keys} keys
   * @param {HTMLElement} box holds radios named "key-mode", inputs with `data-usual`, a `data-status`
   */
  constructor(keys, box) {
    this.#keys = keys;
    this.#box = box;
    this.#status = /** @type {HTMLElement} */ (box.querySelector("[data-status]"));
    this.#fields = Array.from(box.querySelectorAll("input[data-usual]"));
    for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (box.querySelectorAll("[name=key-mode]"))) {
      radio.checked = radio.value === keys.mode;
      radio.addEventListener("change", () => {
        keys.mode = /** @type {Keys["mode"]} */ (radio.value);
      });
    }
    for (const field of this.#fields) field.addEventListener("keydown", (event) => this.#choose(field, event));
    box.querySelector("[data-reset]")?.addEventListener("click", () => this.#reset());
    this.#show();
  }

  /**
   * A key pressed in a field becomes the key of that act, unless it has another meaning.
   * @param {HTMLInputElement} field
   * @param {KeyboardEvent} event
   */
  #choose(field, event) {
    const name = keyName(event);
    if (event.ctrlKey || event.altKey || event.metaKey || name === "" || TAKEN.has(name) || name.length > 1) return;
    event.preventDefault();
    const usual = field.dataset.usual ?? "";
    const { [usual]: _, ...others } = this.#keys.own;
    const held = this.#fields.some(({ dataset: { usual: other = "" } }) => other !== usual && (others[other] ?? other) === name);
    if (held) {
      this.#status.textContent = `${name.toUpperCase()} is in use already.`;
      return;
    }
    this.#keys.own = name === usual ? others : { ...others, [usual]: name };
    this.#status.textContent = `${field.getAttribute("aria-label")}: ${name.toUpperCase()}`;
    this.#show();
  }

  #reset() {
    this.#keys.own = {};
    this.#status.textContent = "The usual keys are back.";
    this.#show();
  }

  /** Every key cap on the page shows the key that acts. */
  #show() {
    const { own } = this.#keys;
    const now = (/** @type {string} */ usual) => (own[usual] ?? usual).toUpperCase();
    for (const field of this.#fields) field.value = now(field.dataset.usual ?? "");
    for (const cap of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("kbd[data-key]"))) {
      cap.textContent = now(cap.dataset.key ?? "");
    }
  }
}
