// All slides of a room, small: copies of what its page has, and pictures over them where the machine draws some.

import { $, line } from "./elements.js";
import { fitSheets } from "./fit.js";
import { loadPictures } from "./slides.js";

/** Open it, with the focus on the slide `number`; whichever is chosen goes to `jump`. */
export function openOverview(slides, number, hasPictures, jump) {
  if (!$("overview-list").children.length) fill(slides, hasPictures, jump);
  for (const button of $("overview-list").querySelectorAll("button")) {
    button.toggleAttribute("autofocus", Number(button.dataset.number) === number);
  }
  $("overview").showModal();
}

function fill(slides, hasPictures, jump) {
  $("overview-list").replaceChildren(...slides.cards.map((card) => {
    const number = Number(card.dataset.slide);
    const button = line("button", "", "slide-button");
    const shown = line("span", "", "slide-shown");
    button.type = "button";
    button.dataset.number = number;
    shown.dataset.slide = number;
    shown.ariaHidden = "true"; // the title below says which slide it is
    shown.append(card.firstElementChild.cloneNode(true));
    const title = `${number}. ${card.dataset.title}${"isHidden" in card.dataset ? " (hidden)" : ""}`;
    button.append(shown, line("span", title, "slide-title"));
    button.addEventListener("click", () => {
      $("overview").close();
      jump(number);
    });
    const item = line("li", "");
    item.append(button);
    return item;
  }));
  fitSheets($("overview-list"));
  if (hasPictures) loadPictures($("overview-list").querySelectorAll(".slide-shown"), slides.address);
}
