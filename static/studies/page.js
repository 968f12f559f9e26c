/** Small things every working page needs: its elements, its server facts, a voice for screen readers. */

/**
 * The element with that id; a page without it is broken, and says so at once.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return /** @type {T} */ (element);
}

/** What the server wrote on the body: addresses, the CSRF token, the enrolment's key. */
export function pageFacts() {
  const { csrf = "", api = "", key = "", leave = "", thanks = "" } = document.body.dataset;
  return { csrf, api, key, leave, thanks };
}

/**
 * Says things to screen readers without showing them; the same sentence twice is said twice.
 * @param {HTMLElement} region with aria-live
 * @returns {(text: string) => void}
 */
export function voice(region) {
  return (text) => {
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
  };
}
