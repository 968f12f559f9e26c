/** Before handing in: answers that still wait in this browser would come too late, so they go first. */

import { Store } from "./store.js";
import { byId } from "./page.js";

const store = new Store(`touchstone:${document.body.dataset.key}:`);
const notice = byId("unsent");
const form = /** @type {HTMLFormElement} */ (document.querySelector("form[method=post]"));
const button = /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]"));

/** Show what waits, and keep the button out of reach as long as something does. @returns {boolean} */
function look() {
  const waits = store.read("queue", []).length > 0;
  notice.hidden = !waits;
  button.disabled = waits;
  return waits;
}

form.addEventListener("submit", (event) => {
  if (look()) event.preventDefault();
});
store.onOtherTab("queue", look);
window.addEventListener("pageshow", look);
look();
