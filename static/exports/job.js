// Keeps the page of a freeze job up to date until the job has ended; rests while nobody looks.

const EVERY_MS = 1000;
const RETRY_MS = 5000;

const section = () => document.getElementById("job");
const ended = () => ["done", "failed"].includes(section().dataset.state);

async function refresh() {
  if (document.hidden) return EVERY_MS;
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) return RETRY_MS;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("job");
  // Logged out meanwhile: the answer is the login page, and a reload shows it.
  if (!fresh) return location.reload();
  // A live region that did not change is left alone, so that screen readers do not say it again.
  if (fresh.innerHTML !== section().innerHTML) section().replaceChildren(...fresh.childNodes);
  section().dataset.state = fresh.dataset.state;
  return EVERY_MS;
}

async function watch() {
  if (ended()) return;
  const wait = await refresh().catch(() => RETRY_MS);
  if (wait) setTimeout(watch, wait);
}

setTimeout(watch, EVERY_MS);
