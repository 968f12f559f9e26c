/** The intensity rater's page: puts its parts together and lets them hear of each other. */

import { Api } from "../studies/api.js";
import { Flow } from "../studies/flow.js";
import { ActiveTime, Kept } from "../studies/kept.js";
import { Keymap } from "../studies/keymap.js";
import { Keys } from "../studies/keys.js";
import { byId, pageFacts, voice } from "../studies/page.js";
import { Panel } from "../studies/panel.js";
import { Player } from "../studies/player.js";
import { Practice } from "../studies/practice.js";
import { AnswerQueue } from "../studies/queue.js";
import { Recovery } from "../studies/recovery.js";
import { SavedPill } from "../studies/saved.js";
import { Store } from "../studies/store.js";
import { WatchMeter } from "../studies/watch.js";
import { Work } from "../studies/work.js";
import { spoken } from "./clip.js";
import { Display, lineOf } from "./display.js";
import { Rating } from "./rating.js";
import { Scale } from "./scale.js";
import { Timeline } from "./timeline.js";

/** @typedef {import("../studies/queue.js").AnswerEvent} AnswerEvent */
/** @typedef {import("../studies/api.js").Refused} Refused */

const facts = pageFacts();
const store = new Store(`touchstone:${facts.key}:`);
const preferences = new Store("touchstone:");
const api = new Api(facts.api, facts.csrf);
const say = voice(byId("announce"));
const pill = new SavedPill(byId("saved"));
const keysDialog = /** @type {HTMLDialogElement} */ (byId("keys"));
const problemDialog = /** @type {HTMLDialogElement} */ (byId("problem"));
const note = byId("note");
/** Refusals that say what is stored instead. */
const STORED_ELSEWHERE = new Set(["stale", "reused_id", "nothing_to_undo"]);
/** The undo of the unit before, on its way: once stored, that unit is opened again. @type {string | null} */
let goingBack = null;

const player = new Player(byId("video"), byId("still"), preferences, {
  change: () => draw(),
  fault: (code) => recovery.fault(code),
});
const meter = new WatchMeter(player.video, (media) => {
  rating.frame(media);
  timeline.move(media, meter.played);
  display.drawLine();
});
player.resumeAt = (at) => meter.resumeAt(at);
const active = new ActiveTime(() => player.running || player.loading);
const kept = new Kept(store);
const queue = new AnswerQueue({
  store,
  lock: `touchstone:${facts.key}:sending`,
  send: (event) => api.post("events", { ...event, tab: work.tab }),
  on: { change: queueChanged, delivered, refused, blocked: (reply) => flow.refused(reply) },
});
const rating = new Rating({ player, meter, queue, kept, active }, { change: () => draw(), locked: triedLocked, say });
const stagePanel = new Panel(byId("panel"), say);
const cover = new Panel(byId("cover"), say, [byId("stage"), byId("aside")]);
const practice = new Practice({ store, banner: byId("practice"), feedback: byId("feedback"), say, unit: "clip" });
const flow = new Flow(
  { api, queue, store, practice, cover, dialog: /** @type {HTMLDialogElement} */ (byId("hand-in")), facts, unit: "clip" },
  { unit: beginUnit, none: endUnit, change: () => draw(), undo },
);
const work = new Work(api, store, {
  opened: (body) => flow.opened(body),
  leaseLost: () => {
    player.pause("us");
    flow.leaseLost();
  },
  stateChanged: (state) => {
    player.pause("us");
    flow.state(state);
  },
  refused: (reply) => flow.refused(reply),
  connection: (offline) => flow.connection(offline),
  media: (media) => recovery.fresh(media.reaction.url),
});
work.activeSeconds = () => {
  active.tick();
  return active.seconds;
};
const recovery = new Recovery("reaction", player, work, () => draw());
const scale = new Scale(byId("scale"), byId("line"), (value) => score(value));
const timeline = new Timeline(
  { track: byId("track"), marks: byId("marks"), head: byId("head"), seen: byId("seen"), time: byId("time") },
  {
    choose: (index) => rating.choose(index),
    seek: (seconds) => rating.seek(seconds),
  },
);
const display = new Display(
  { rating, player, flow, scale, timeline, panel: stagePanel, practice },
  { next, undo, stay: () => flow.stay(), retry: () => recovery.again(), problem: () => ask(problemDialog) },
  say,
);
const keys = new Keys(preferences, byId("main"));

function draw() {
  display.draw(recovery.gaveUp);
  timeline.move(player.position, meter.played);
}

/** @param {any} body */
function beginUnit(body) {
  const other = rating.clip?.id !== body.assignment.id;
  rating.begin(body);
  recovery.begin(body.media.reaction.url, other);
  if (other && rating.clip) timeline.begin(rating.clip);
  display.progress(body.progress, true);
  const moments = rating.clip?.moments.length;
  if (other) say(`Clip opened, ${moments === 1 ? "1 moment" : `${moments} moments`} to rate`);
}

/** @param {any} body */
function endUnit(body) {
  rating.end(body?.previous);
  if (body?.progress) display.progress(body.progress, false);
}

/** @param {number} value */
function score(value) {
  note.hidden = true;
  if (rating.unlocked && !rating.final) practice.clear();
  rating.score(value);
}

function triedLocked() {
  scale.nudge();
  say(lineOf(rating, player).text);
}

function next() {
  if (rating.clip && (rating.clip.allRated || rating.clip.report)) flow.next();
}

function undo() {
  if (rating.practice) return tell("In practice the first answer counts, so there is nothing to undo.");
  flow.stay();
  if (rating.undo()) return;
  if (!rating.previous) return say("There is nothing to undo");
  if (flow.offline || queue.size || !navigator.onLine) return tell("Going back to the clip before needs the connection.");
  goingBack = rating.undoPrevious();
}

/** Open a dialog; the clip waits behind it. @param {HTMLDialogElement} dialog */
function ask(dialog) {
  if (player.running) player.pause("person");
  dialog.showModal();
}

/** Say something that has to be seen, until it is dismissed or answered. @param {string} text */
function tell(text) {
  /** @type {HTMLElement} */ (note.firstElementChild).textContent = text;
  note.hidden = false;
}

function queueChanged() {
  pill.show(queue);
  if (rating.clip && !rating.finished) flow.stay();
  flow.settle();
  draw();
}

/** @param {AnswerEvent} event @param {any} body */
function delivered(event, body) {
  pill.saved();
  if (event.assignment === rating.clip?.id) {
    rating.clip.settle(event, body);
    const number = rating.clip.moments.findIndex((moment) => moment.key === event.question) + 1;
    practice.answered(`Moment ${number}: ${spoken(event.value)}`, body.feedback);
  }
  if (body.progress) display.bar(body.progress.done);
  if (event.event_id === goingBack) {
    goingBack = null;
    void work.open();
  }
  draw();
}

/**
 * An answer was not stored: show it beside what is, and take what is as current.
 * @param {AnswerEvent} event
 * @param {Refused} reply
 * @param {AnswerEvent[]} fallen
 */
function refused(event, reply, fallen) {
  pill.attention();
  goingBack = null;
  flow.stay();
  const index = rating.clip?.id === event.assignment ? rating.clip.moments.findIndex((m) => m.key === event.question) : -1;
  const which = index < 0 ? "An answer" : `Moment ${index + 1}`;
  const last = fallen.at(-1) ?? event;
  const yours = last.action === "undo" ? "Your undo" : event.scope === "unit" ? "Your report" : `Your ${spoken(last.value)}`;
  const stored = reply.detail.stored;
  if (rating.clip && index >= 0 && stored && STORED_ELSEWHERE.has(reply.code)) {
    rating.corrected(event, stored, index);
    tell(`${which}: ${spoken(stored?.value)} is what is stored, from another tab or device. ${yours} was not saved. You can rate it again.`);
  } else {
    if (reply.code === "not_played" && index >= 0) rating.rewatch(reply.detail.missing ?? []);
    tell(`${which} could not be stored: ${reply.message || reply.code} ${yours} was not saved.`);
    void work.open();
  }
  draw();
}

function bindKeys() {
  /** Keys of the clip rest while the page is covered. @param {string} name @param {() => void} act */
  const bind = (name, act) => keys.bind(name, () => (cover.content ? false : act()));
  for (const value of [0, 1, 2, 3]) bind(String(value), () => score(value));
  bind("Space", () => (stagePanel.content ? void stagePanel.pressPrimary() : rating.playOrPause()));
  bind("Enter", () => (stagePanel.content ? void stagePanel.pressPrimary() : next()));
  bind("r", () => rating.replay());
  bind("ArrowLeft", () => rating.step(-1));
  bind("ArrowRight", () => rating.step(1));
  keys.bind("z", () => (cover.content && cover.content.name !== "nothing_left" ? false : undo()));
  keys.bind("?", () => ask(keysDialog));
}

/**
 * A button does one thing; a mouse press leaves the focus where it was, so that Space goes on playing.
 * @param {string} id
 * @param {() => void} act
 */
function press(id, act) {
  const button = byId(id);
  button.addEventListener("click", act);
  button.addEventListener("mousedown", (event) => event.preventDefault());
}

function bindPointers() {
  for (const id of ["big-play", "play", "key-play"]) press(id, () => rating.playOrPause());
  press("key-replay", () => rating.replay());
  press("key-back", () => rating.step(-1));
  press("key-forth", () => rating.step(1));
  press("key-undo", undo);
  press("next", next);
  press("sound", () => player.toggleSound());
  press("open-keys", () => ask(keysDialog));
  press("open-problem", () => ask(problemDialog));
  player.video.addEventListener("click", () => rating.playOrPause());
  byId("volume").addEventListener("input", (event) => {
    player.setVolume(Number(/** @type {HTMLInputElement} */ (event.target).value) / 100);
  });
  note.querySelector("button")?.addEventListener("click", () => {
    note.hidden = true;
    pill.settle();
    pill.show(queue);
  });
  problemDialog.addEventListener("close", () => {
    if (problemDialog.returnValue) rating.report(problemDialog.returnValue);
    problemDialog.returnValue = "";
  });
}

new Keymap(keys, byId("keymap"));
bindKeys();
bindPointers();
player.video.addEventListener("ended", () => rating.ended());
player.video.addEventListener("play", () => practice.clear());
player.video.addEventListener("pause", () => rating.save());
window.addEventListener("pagehide", () => rating.save());
setInterval(() => {
  active.tick();
  if (player.running) rating.save();
}, 1000);
window.addEventListener("offline", queueChanged);
window.addEventListener("online", queueChanged);
pill.show(queue);
flow.start(work);
