// The audience's window: the slide that the room shows, and nothing else. Its keys are the room's own, so that
// a clicker works whichever window has the focus.

import { listenToKeys } from "./keys.js";
import { beat, lose } from "./heartbeat.js";
import { pathTo } from "./place.js";
import { ready } from "./ready.js";
import { change } from "./request.js";
import { fillScreen, keepAwake, offerFullScreen } from "./screen.js";
import { Moves, shownIn, stage } from "./slides.js";
import { follow } from "./stream.js";

const room = document.getElementById("room");
const session = room.dataset.session;
const state = document.getElementById("state");
const slides = stage("stage-slide", room);
let view = null;

const put = (path, body) => change(session, path, { method: "PUT", body });

const moves = new Moves(slides.cards, async (number) => (await put("slide", { slide: number })).isOk);
const isOpen = () => view !== null && view.state !== "ended";
const jump = (number) => isOpen() && view.slides.some(([one]) => one === number) && moves.jump(view, number);
const turn = (by) => isOpen() && moves.turn(view, by);

const darken = () => isOpen() && put("blank", { is_blank: !view.is_blank });

const stateLine = () => (view?.state === "ended" ? "The rehearsal has ended." : "");

document.addEventListener("connection", ({ detail }) => {
  room.dataset.connected = detail.isConnected && view ? "yes" : "no";
  state.textContent = detail.words ?? stateLine();
});
follow(session, ({ name, data }) => {
  if (name === "lost") lose();
  else beat();
  if (name === "gone") location.replace(pathTo(""));
  else if (name === "room") {
    if (view === null) ready();
    view = JSON.parse(data);
    moves.see(view);
    room.dataset.connected = "yes";
    state.textContent = stateLine();
    slides.show(shownIn(view, slides.cards));
    slides.darken(view.is_blank);
    keepAwake(view.is_running);
  }
});
listenToKeys({
  acts: {
    next: () => turn(1),
    previous: () => turn(-1),
    blank: darken,
    start: () => document.fullscreenElement || fillScreen(),
    leave: () => view?.is_blank && darken(),
    full: fillScreen,
  },
  letters: { KeyF: "full" },
  jump,
  counting() {},
});
offerFullScreen(document.getElementById("full"));
