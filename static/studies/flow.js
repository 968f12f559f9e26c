/** From one unit to the next, and out: opening, waiting for the connection, losing the lease, handing in. */

import { answers } from "./saved.js";

/** @typedef {import("./api.js").Api} Api */
/** @typedef {import("./api.js").Refused} Refused */
/** @typedef {import("./work.js").Work} Work */
/** @typedef {import("./queue.js").AnswerQueue} AnswerQueue */
/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./panel.js").Panel} Panel */

export class Flow {
  /** The person asked for the next unit, which has not come yet. */
  wanted = false;
  /** Opening is being retried without the connection. */
  offline = false;
  #api;
  #queue;
  #store;
  #cover;
  #dialog;
  #leave;
  #thanks;
  #unit;
  #on;
  /** @type {Work | null} */
  #work = null;
  #handingIn = false;

  /**
   * @param {object} tools
   * @param {Api} tools.api
   * @param {AnswerQueue} tools.queue
   * @param {Store} tools.store
   * @param {Panel} tools.cover
   * @param {HTMLDialogElement} tools.dialog asks whether to hand in
   * @param {{leave: string, thanks: string}} tools.facts
   * @param {string} tools.unit what one unit is called: "clip"
   * @param {{unit: (body: any) => void, none: (body: any) => void, change: () => void, undo: () => void}} on
   */
  constructor({ api, queue, store, cover, dialog, facts, unit }, on) {
    this.#api = api;
    this.#queue = queue;
    this.#store = store;
    this.#cover = cover;
    this.#dialog = dialog;
    this.#leave = facts.leave;
    this.#thanks = facts.thanks;
    this.#unit = unit;
    this.#on = on;
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "yes") void this.handIn();
      dialog.returnValue = "";
    });
  }

  /** @param {Work} work */
  start(work) {
    this.#work = work;
    void work.open();
  }

  /** @param {any} body what `open` answered */
  opened(body) {
    this.wanted = false;
    if (body.state === "working") {
      this.#cover.hide();
      this.#on.unit(body);
    } else {
      this.#on.none(body);
      this.state(body.state);
    }
    this.#queue.resume();
    this.#on.change();
  }

  /** The study, or this person's part of it, is not in work any more. @param {string} state */
  state(state) {
    const leave = { label: "Leave", primary: true, href: this.#leave };
    if (state === "handed_in") return location.replace(this.#thanks);
    if (state === "nothing_left") return this.#nothingLeft();
    // The submission was returned on Prolific: the server has a page for that.
    if (state === "returned") return location.reload();
    const title = state === "halted" ? "The study has been stopped" : "The study is closed";
    this.#cover.show({ name: state, title, text: `Everything you did counts, and nothing more is needed from you.${this.#kept()}`, actions: [leave] });
  }

  #nothingLeft() {
    this.#cover.show({
      name: "nothing_left",
      title: `You have rated every ${this.#unit}`,
      text: "Hand in when you are content with your answers. Until then you can still go back and change them.",
      actions: [
        { label: "Hand in…", primary: true, press: () => this.#dialog.showModal() },
        { label: "Undo the last answer", key: "Z", press: () => this.#on.undo() },
        { label: "Pause and leave", href: this.#leave },
      ],
    });
  }

  leaseLost() {
    this.#queue.stop();
    this.#cover.show({
      name: "lease",
      title: "This study is open in another tab",
      text: `Only one tab or device works at a time, so that nothing is answered twice.${this.#kept()}`,
      actions: [{ label: "Use this tab", primary: true, press: () => void this.#work?.open() }],
    });
  }

  /** The server does not take anything from this page. @param {Refused} reply */
  refused(reply) {
    if (reply.code === "lease") return this.#work?.loseLease();
    if (reply.code === "halted" || reply.code === "handed_in" || reply.code === "closed") return this.state(reply.code);
    if (reply.code === "not_enrolled") {
      return this.#cover.show({
        name: "not_enrolled",
        title: "This browser is no longer signed in to the study",
        text: `Open your personal return address in this browser, and you are back where you stopped.${this.#kept()}`,
      });
    }
    this.#cover.show({
      name: "reload",
      title: "This page has to be loaded again",
      text: `${reply.message || "The server did not accept it any more."}${this.#kept()}`,
      actions: [{ label: "Load again", primary: true, press: () => location.reload() }],
    });
  }

  /** @param {boolean} offline */
  connection(offline) {
    this.offline = offline;
    this.#on.change();
  }

  /** Go on to the next unit, as soon as all answers are stored. */
  next() {
    this.wanted = true;
    if (this.#queue.size) void this.#queue.flush();
    this.settle();
    this.#on.change();
  }

  /** The queue has moved: perhaps the next unit can be opened now. */
  settle() {
    if (this.wanted && !this.#queue.size) void this.#work?.open();
  }

  /** Give up waiting for the next unit: the person does something else with this one. */
  stay() {
    if (!this.wanted) return;
    this.wanted = false;
    this.offline = false;
    this.#work?.giveUpOpening();
    this.#on.change();
  }

  /** Whether the next unit waits for the connection. */
  get waiting() {
    return this.wanted && (this.offline || this.#queue.state === "offline" || !navigator.onLine);
  }

  /** What to say while it waits. */
  get waitingText() {
    const size = this.#queue.size;
    const next = `The next ${this.#unit} needs the connection and opens by itself when it is back.`;
    if (!size) return `All your answers are stored. ${next}`;
    const safe = this.#store.lasting ? "safe in this browser" : "kept in this page, so leave it open,";
    return `${answers(size)} ${size === 1 ? "is" : "are"} ${safe} and will be sent. ${next}`;
  }

  async handIn() {
    if (this.#handingIn || !this.#work) return;
    this.#handingIn = true;
    await this.#queue.flush();
    const reply = this.#queue.size ? null : await this.#api.post("hand_in", { tab: this.#work.tab });
    this.#handingIn = false;
    if (reply?.kind === "ok") return location.assign(reply.body.next ?? this.#thanks);
    if (reply?.kind === "refused") return this.refused(reply);
    this.#cover.show({
      name: "hand_in",
      title: "Not handed in yet: no connection",
      text: `Nothing is lost.${this.#kept()} Try again when you are online.`,
      actions: [
        { label: "Try again", primary: true, press: () => void this.handIn() },
        { label: "Back", press: () => this.#nothingLeft() },
      ],
    });
  }

  /** A sentence about answers that still wait, or nothing. */
  #kept() {
    const size = this.#queue.size;
    return size ? ` ${answers(size)} ${size === 1 ? "waits" : "wait"} in this browser and will be sent.` : "";
  }
}
