/** The 0–3 scale: a radio group that is locked, and says why, until its moment has been watched. */

export class Scale {
  #group;
  /** @type {HTMLElement[]} */
  #cards;
  #line;
  #text;

  /**
   * @param {HTMLElement} group holds the four `role="radio"` buttons with `data-value`
   * @param {HTMLElement} line says what has to happen first, or what can be done now
   * @param {(value: number) => void} choose
   */
  constructor(group, line, choose) {
    this.#group = group;
    this.#cards = Array.from(group.querySelectorAll('[role="radio"]'));
    this.#line = line;
    this.#text = /** @type {HTMLElement} */ (line.querySelector("[data-text]"));
    for (const card of this.#cards) {
      card.addEventListener("click", () => choose(Number(card.dataset.value)));
      // A click must not leave the focus here, or the next Space would score again instead of playing.
      card.addEventListener("mousedown", (event) => event.preventDefault());
    }
    group.addEventListener("keydown", (event) => this.#walk(event));
    this.#rove(0);
  }

  /**
   * @param {{value: number | null, locked: boolean, tone: "locked" | "sound" | "ready" | "done", text: string}} state
   */
  show({ value, locked, tone, text }) {
    this.#group.classList.toggle("locked", locked);
    for (const card of this.#cards) {
      const chosen = Number(card.dataset.value) === value;
      card.setAttribute("aria-checked", String(chosen));
      card.setAttribute("aria-disabled", String(locked));
    }
    this.#line.dataset.tone = tone;
    if (this.#text.textContent !== text) this.#text.textContent = text;
  }

  /** Point to the line, gently: someone tried a locked scale. */
  nudge() {
    this.#line.classList.remove("nudged");
    void this.#line.offsetWidth; // lets the animation begin again
    this.#line.classList.add("nudged");
  }

  /** Up and down walk the cards without choosing; Space or Enter choose. @param {KeyboardEvent} event */
  #walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const at = this.#cards.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    this.#rove((at + step + this.#cards.length) % this.#cards.length).focus();
  }

  /** Only one card is a tab stop. @param {number} index */
  #rove(index) {
    this.#cards.forEach((card, i) => (card.tabIndex = i === index ? 0 : -1));
    return this.#cards[index];
  }
}
