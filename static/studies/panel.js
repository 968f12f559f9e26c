/**
 * Calm panels that say what is going on and offer the next step: over the stage (a clip is done) or over the
 * whole page (another tab has the work).
 */

/**
 * @typedef {object} PanelAction
 * @property {string} label
 * @property {string} [key] shown as a key cap
 * @property {boolean} [primary]
 * @property {() => void} [press]
 * @property {string} [href]
 */
/**
 * @typedef {object} PanelContent
 * @property {string} name what it is about; the same name again is an update, not a new panel
 * @property {string} title
 * @property {string} [text]
 * @property {PanelAction[]} [actions] the primary one first
 */

/** @param {PanelAction} action */
function actionElement({ label, key, primary, press, href }) {
  const element = document.createElement(href ? "a" : "button");
  element.className = primary ? "button primary" : "button";
  if (element instanceof HTMLAnchorElement) element.href = href ?? "";
  else element.type = "button";
  element.append(label);
  if (key) {
    const cap = document.createElement("kbd");
    cap.textContent = key;
    cap.setAttribute("aria-hidden", "true");
    element.append(cap);
  }
  if (press) element.addEventListener("click", press);
  return element;
}

export class Panel {
  #box;
  #covered;
  #announce;
  /** The panel that is up. @type {PanelContent | null} */
  content = null;

  /**
   * @param {HTMLElement} box empty and hidden
   * @param {(text: string) => void} announce says it to screen readers
   * @param {HTMLElement[]} [covered] what nobody can reach while it is up
   */
  constructor(box, announce, covered = []) {
    this.#box = box;
    this.#announce = announce;
    this.#covered = covered;
  }

  /** @param {PanelContent} content */
  show(content) {
    const same = this.content?.name === content.name;
    if (same && this.content?.title === content.title && this.content?.text === content.text) {
      this.content = content;
      return;
    }
    const title = document.createElement("h2");
    title.textContent = content.title;
    const text = document.createElement("p");
    text.textContent = content.text ?? "";
    text.hidden = !content.text;
    const row = document.createElement("div");
    row.className = "row";
    row.append(...(content.actions ?? []).map(actionElement));
    const held = this.#box.contains(document.activeElement);
    this.#box.replaceChildren(title, text, row);
    this.#box.hidden = false;
    this.#box.dataset.name = content.name;
    this.content = content;
    for (const element of this.#covered) element.inert = true;
    if (held || this.#covered.length) /** @type {HTMLElement | null} */ (row.firstElementChild)?.focus();
    this.#announce(content.text ? `${content.title}. ${content.text}` : content.title);
  }

  hide() {
    if (!this.content) return;
    const held = this.#box.contains(document.activeElement);
    this.content = null;
    this.#box.hidden = true;
    this.#box.replaceChildren();
    for (const element of this.#covered) element.inert = false;
    // The next Tab leads into what was covered, not past it.
    if (held) this.#covered[0]?.closest("main")?.focus();
  }

  /** Press the primary action, as Enter and Space do. @returns {boolean} whether there was one */
  pressPrimary() {
    const first = this.#box.querySelector(".primary");
    if (!(first instanceof HTMLElement) || this.#box.hidden) return false;
    first.click();
    return true;
  }
}
