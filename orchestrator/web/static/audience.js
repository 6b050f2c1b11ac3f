// The audience's window: the slide that the room shows, and nothing else. Its keys are the room's own, so that
// a clicker works whichever window has the focus.

import { listenToKeys } from "./keys.js";
import { beat, lose } from "./heartbeat.js";
import { pathTo } from "./place.js";
import { change } from "./request.js";
import { fillScreen, keepAwake, offerFullScreen } from "./screen.js";
import { beside, shownIn, stage } from "./slides.js";
import { follow } from "./stream.js";

const room = document.getElementById("room");
const session = room.dataset.session;
const state = document.getElementById("state");
const slides = stage("stage-slide", room);
let view = null;
let wanted = null;

const put = (path, body) => change(session, path, { method: "PUT", body });

async function jump(number) {
  if (!view?.slides.some(([one]) => one === number)) return;
  wanted = number;
  await put("slide", { slide: number });
  if (wanted === number) wanted = null;
}

function turn(by) {
  const next = view && beside(slides.cards, wanted ?? shownIn(view), by);
  if (next) jump(next);
}

const darken = () => view && put("blank", { is_blank: !view.is_blank });

const stateLine = () => (view?.state === "ended" ? "The rehearsal has ended." : "");

document.addEventListener("connection", ({ detail }) => {
  room.dataset.connected = detail.isConnected ? "yes" : "no";
  state.textContent = detail.words ?? stateLine();
});
follow(session, ({ name, data }) => {
  if (name === "lost") lose();
  else beat();
  if (name === "gone") location.replace(pathTo(""));
  else if (name === "room") {
    view = JSON.parse(data);
    state.textContent = stateLine();
    slides.show(shownIn(view));
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
