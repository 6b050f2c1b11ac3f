// The slides of a room: which one is shown, dark or not; its picture lies over what the deck's own data draws.

import { fitSheets } from "./fit.js";
import { pathTo } from "./place.js";

/** The frame `name` of a page (`stage.html`); `show` one slide of it, or none with the number null. */
export function stage(name, room) {
  const frame = document.getElementById(name);
  const picture = frame.querySelector(".slide-picture");
  const cards = [...frame.querySelectorAll(".slide-card")];
  fitSheets(frame);
  const address = (number) => pathTo(`api/v1/sessions/${encodeURIComponent(room.dataset.session)}/slides/${number}.png`);
  let shown;
  picture.addEventListener("load", () => {
    picture.hidden = false;
    for (const card of cards) card.hidden = true;
  });
  return {
    show(number) {
      if (number === shown) return;
      shown = number;
      frame.querySelector(".slide-none").hidden = number !== null;
      for (const card of cards) card.hidden = Number(card.dataset.slide) !== number;
      picture.hidden = true; // the card stands until the picture is there, and where there is none
      if (number === null || !("pictures" in room.dataset)) return picture.removeAttribute("src");
      picture.src = address(number);
      picture.alt = `Slide ${number}: ${cards.find((card) => Number(card.dataset.slide) === number)?.dataset.title ?? ""}`;
    },
    darken(is) {
      frame.querySelector(".slide-dark").hidden = !is;
      frame.classList.toggle("is-dark", is);
    },
    cards,
    address,
  };
}

/** The numbers of the slides that an audience sees; of hidden ones only `also`. */
const seen = (cards, also) => cards.filter((card) => !("isHidden" in card.dataset) || Number(card.dataset.slide) === also)
  .map((card) => Number(card.dataset.slide));

/** The slide that a page shows: before anybody has changed slides the first that an audience sees. */
export const shownIn = (view, cards) => view.slide ?? seen(cards)[0] ?? view.slides[0]?.[0];

/** The slide `by` further than `from`: hidden ones are passed over. Undefined: none. */
export function beside(cards, from, by) {
  const numbers = seen(cards, from);
  return numbers[numbers.indexOf(from) + by];
}

/** Changes of slides, one after the other in the order of the keys: `send(number)` asks the server for one, and
    gives whether it was taken. `see(view)` is told each view that comes. */
export class Moves {
  #cards;
  #send;
  #wanted = null; // asked for and not shown yet: a second press may come before the first is shown
  #passed = new Set(); // what may be shown until then
  #moving = Promise.resolve();

  constructor(cards, send) {
    this.#cards = cards;
    this.#send = send;
  }

  jump(view, number) {
    this.#passed.add(shownIn(view, this.#cards)).add(this.#wanted);
    this.#wanted = number;
    this.#moving = this.#moving.then(() => this.#send(number)).then((isTaken) => {
      if (!isTaken && this.#wanted === number) this.#forget();
    });
  }

  /** What was asked for counts until it is shown, or a slide that nobody asked for here. */
  see(view) {
    const shown = shownIn(view, this.#cards);
    if (shown === this.#wanted || !this.#passed.has(shown)) this.#forget();
  }

  #forget() {
    this.#wanted = null;
    this.#passed.clear();
  }

  /** Go `by` slides further than the one that `view` shows; whether there is one. */
  turn(view, by) {
    const next = beside(this.#cards, this.#wanted ?? shownIn(view, this.#cards), by);
    if (next !== undefined) this.jump(view, next);
    return next !== undefined;
  }
}

/** Pictures over what the deck's data draws, two at a time: a browser has six connections, and others need some. */
export function loadPictures(places, address) {
  const waiting = [...places];
  const next = () => {
    const place = waiting.shift();
    if (!place || !place.isConnected) return;
    const picture = document.createElement("img");
    picture.alt = "";
    picture.addEventListener("load", () => { place.replaceChildren(picture); next(); });
    picture.addEventListener("error", next);
    picture.src = address(Number(place.dataset.slide));
  };
  next();
  next();
}
