/** Copy buttons: `<button data-copy="ID">` copies the text of the element with that id. */

/**
 * Copy, or where the browser forbids it select the text so that Ctrl+C does.
 * @param {HTMLElement} source
 * @returns {Promise<boolean>} whether it is in the clipboard now
 */
async function copyText(source) {
  try {
    await navigator.clipboard.writeText((source.textContent ?? "").trim());
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return false;
  }
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.getAttribute("data-copy") ?? "");
    if (!source) return;
    const done = await copyText(source);
    const said = done ? "Copied" : "Selected: press Ctrl+C to copy";
    button.textContent = done ? said : "Selected";
    const status = button.parentElement?.querySelector("[data-copied]");
    if (status) status.textContent = said;
  });
}
