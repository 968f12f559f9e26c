/** Which browser this is, as a plain fact: family and major version, nothing that tells people apart. */

/** First match wins: most browsers name others too. @type {[string, RegExp][]} */
const FAMILIES = [
  ["Edge", /Edg(?:A|iOS)?\/(\d+)/],
  ["Opera", /OPR\/(\d+)/],
  ["Samsung Internet", /SamsungBrowser\/(\d+)/],
  ["Firefox", /(?:Firefox|FxiOS)\/(\d+)/],
  ["Chromium", /(?:Chrome|CriOS|Chromium)\/(\d+)/],
  ["Safari", /Version\/(\d+).*Safari\//],
];

/** @param {string} [agent] what the browser calls itself */
export function browserFamily(agent = navigator.userAgent) {
  for (const [family, pattern] of FAMILIES) {
    const found = pattern.exec(agent);
    if (found) return `${family} ${found[1]}`;
  }
  return "other";
}
