/** The device check: a window wide enough, a film that plays, and sounds that are heard. */

import { Api } from "./api.js";
import { browserFamily } from "./browser.js";
import { Film } from "./film.js";
import { Keys } from "./keys.js";
import { byId } from "./page.js";
import { Store } from "./store.js";

/** @typedef {import("./api.js").Reply} Reply */
/** @typedef {{role: string, number: number, tries: number, heard: boolean, url: string}} Sound */

/** Pictures that must have been shown before the video counts as playing. */
const FRAMES = 10;
/** Films of an address older than this are fetched anew (ms): addresses expire. */
const FRESH_MS = 300_000;
const FAULTS = {
  aborted: "The clip stopped loading. Play it again.",
  network: "The clip could not be fetched. Look whether you are online, then play it again.",
  decode: "This browser could not decode the clip. Update it, or use a current Chrome, Edge, Firefox or Safari.",
  not_supported: "This browser does not play the clip (H.264 video with AAC sound). Use a current Chrome, Edge, Firefox or Safari.",
  unknown: "The clip does not play. Play it again, or try another browser.",
  refused: "The browser wants a click or a key first. Press Play once more.",
  stalled: "The clip does not move. Look whether you are online, then play it again.",
};

const { api: base = "", csrf = "", minWidth = "0" } = document.body.dataset;
const least = Number(minWidth);
const api = new Api(base, csrf);
const preferences = new Store("touchstone:");
const play = /** @type {HTMLButtonElement} */ (byId("play"));
const beeps = /** @type {HTMLFieldSetElement} */ (byId("beeps"));
const volume = /** @type {HTMLInputElement} */ (byId("volume"));
const dialog = /** @type {HTMLDialogElement} */ (byId("giving-up"));
const goOn = /** @type {HTMLButtonElement} */ (byId("go-on"));
const film = new Film(byId("film"), { change: draw, over, fault: (name) => failed(FAULTS[name]) });

/** @type {Sound[]} */
let sounds = [];
let next = "";
/** Which film is in the player, and since when. */
let loaded = "";
let loadedAt = 0;
/** What is wrong with the video now, or nothing. */
let fault = "";
/** Something is on its way to the server. */
let asking = false;

const wide = () => window.innerWidth >= least;
const plays = () => film.frames >= FRAMES;
/** The sound whose turn it is. */
const current = () => sounds.find((sound) => !sound.heard);
/** The sound whose film is in the player: also when all is heard, until pictures were seen. */
const shown = () => current() ?? sounds[0];
/** A role in words. @param {string} role */
const named = (role) => `the ${role}`;

/**
 * @param {string} id
 * @param {"waiting" | "good" | "bad"} state
 * @param {string} text
 */
function check(id, state, text) {
  const item = byId(id);
  item.dataset.state = state;
  const line = /** @type {HTMLElement} */ (item.querySelector("[data-text]"));
  if (line.textContent !== text) line.textContent = text;
}

/** Say something about the last act, or nothing. @param {string} text */
function tell(text) {
  const told = byId("told");
  told.textContent = text;
  told.hidden = !text;
}

function drawWindow() {
  const { innerWidth } = window;
  const help = "Make the window wider, zoom out with Ctrl and −, turn the phone sideways, or use a larger screen.";
  if (wide()) check("check-window", "good", `${innerWidth} pixels wide: enough.`);
  else check("check-window", "bad", `${innerWidth} pixels wide; ${least} are needed. ${help}`);
}

function drawVideo() {
  if (fault) return check("check-video", "bad", fault);
  if (plays()) return check("check-video", "good", "It plays.");
  if (film.running) return check("check-video", "waiting", "Playing…");
  return check("check-video", "waiting", "Play the test clip.");
}

function drawSound() {
  const sound = current();
  if (!sounds.length) return check("check-sound", "waiting", "One moment…");
  if (!sound) return check("check-sound", "good", sounds.length > 1 ? "All of it is heard." : "It is heard.");
  const which = sounds.length > 1 ? `Sound ${sounds.indexOf(sound) + 1} of ${sounds.length}, ${named(sound.role)}. ` : "";
  const tries = sound.number > 1 ? ` Try ${sound.number} of ${sound.tries}.` : "";
  const now = film.seen ? "How many beeps did you hear?" : "Count the beeps in the test clip.";
  return check("check-sound", sound.number > 1 ? "bad" : "waiting", `${which}${now}${tries}`);
}

function draw() {
  drawWindow();
  drawVideo();
  drawSound();
  const word = /** @type {HTMLElement} */ (play.querySelector("[data-word]"));
  const again = film.seen ? "Play it again" : "Play the test clip";
  word.textContent = film.running ? "Playing…" : again;
  play.disabled = asking || !sounds.length || (!current() && plays());
  beeps.disabled = !film.seen || asking || !current();
  const passed = sounds.length > 0 && !current() && plays();
  if (passed) showResult("Everything works", wide() ? "You can start now." : "One thing is left: the window has to be wider.");
  goOn.setAttribute("aria-disabled", String(passed && !wide()));
}

/**
 * Put a result in the place of the clip.
 * @param {string} title
 * @param {string} text
 */
function showResult(title, text) {
  const first = byId("result").hidden;
  byId("result-title").textContent = title;
  byId("result-text").textContent = text;
  if (!first) return;
  byId("trial").hidden = true;
  byId("result").hidden = false;
  byId("aside").hidden = current() === undefined && wide();
  goOn.focus();
}

function over() {
  if (!plays()) {
    fault = "The clip ran, but no picture was shown. Keep this window in view while it plays.";
  }
  draw();
}

/** @param {string} text */
function failed(text) {
  fault = text;
  loadedAt = 0; // the next try fetches a new address
  draw();
}

async function start() {
  took(await api.post("start", {}));
}

/** Take over what the server says about the check. @param {Reply} reply @returns {boolean} whether it did */
function took(reply) {
  asking = false;
  if (reply.kind === "unreachable") {
    tell("No connection to the study. Look whether you are online, then try again.");
    draw();
    return false;
  }
  if (reply.kind === "refused") {
    // The check is over, or went on in another tab: the page that comes next knows.
    location.reload();
    return false;
  }
  ({ sounds, next } = reply.body);
  if (reply.body.state === "handed_in") {
    ended();
  } else if (reply.body.state !== "device_check") {
    location.replace(next);
  } else {
    const { role, number } = shown();
    if (loaded !== `${role} ${number}`) load();
  }
  draw();
  return true;
}

function load() {
  const { role, number, url } = shown();
  loaded = `${role} ${number}`;
  loadedAt = Date.now();
  film.load(url);
}

async function playFilm() {
  if (film.running || play.disabled) return;
  fault = "";
  tell("");
  if (!sounds.length || Date.now() - loadedAt > FRESH_MS) {
    const reply = await api.post("start", {});
    if (!took(reply)) return;
    load();
  }
  void film.play();
}

/** @param {number} heard */
async function answer(heard) {
  const sound = current();
  if (!sound || beeps.disabled || asking) return;
  asking = true;
  draw();
  film.video.pause();
  if (!took(await api.post("answer", { role: sound.role, number: sound.number, heard }))) return;
  const now = sounds.find(({ role }) => role === sound.role);
  if (now?.heard) tell(current() ? `Right. Now the second sound: ${named(current()?.role ?? "")}.` : "");
  else tell(`That is not the number that was played. Try ${now?.number} of ${now?.tries}: turn up the volume, and play the new clip.`);
  play.focus();
}

/** The part in the study is over; the end page says what comes next. */
function ended() {
  showResult("The check was not passed", "This study needs sound, so it ends here for you. The next page says what to do now.");
  byId("aside").hidden = true;
}

async function leaveCheck() {
  if (goOn.getAttribute("aria-disabled") === "true" || asking) return;
  if (current()) return location.assign(next); // it ended
  asking = true;
  const claim = { width: window.innerWidth, frames: film.frames, browser: browserFamily() };
  took(await api.post("pass", claim));
}

async function giveUp() {
  const reason = dialog.returnValue;
  dialog.returnValue = "";
  if (!reason) return;
  const reply = await api.post("fail", { reason, browser: browserFamily() });
  if (reply.kind === "ok") location.assign(reply.body.next);
  else took(reply);
}

film.video.volume = Math.min(1, Math.max(0.05, preferences.read("volume", 1)));
volume.value = String(Math.round(film.video.volume * 100));
volume.addEventListener("input", () => {
  film.video.volume = Number(volume.value) / 100;
  preferences.write("volume", film.video.volume);
});
play.addEventListener("click", () => void playFilm());
goOn.addEventListener("click", () => void leaveCheck());
byId("give-up").addEventListener("click", () => dialog.showModal());
dialog.addEventListener("close", () => void giveUp());
for (const button of beeps.querySelectorAll("button")) {
  button.addEventListener("click", () => void answer(Number(button.value)));
}
const keys = new Keys(preferences, byId("main"));
keys.bind("Space", () => (byId("trial").hidden ? false : void playFilm()));
for (const digit of "0123456") keys.bind(digit, () => (beeps.disabled ? false : void answer(Number(digit))));
window.addEventListener("resize", draw);
window.addEventListener("pageshow", (event) => event.persisted && location.reload());
draw();
void start();
