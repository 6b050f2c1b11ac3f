// What only a page's script makes work is `disabled data-waits` in its HTML: pressed before somebody listens, it
// would do nothing and say nothing.

/** Let it be pressed: the last act of a page's script, or its first upon the room that it shows. */
export function ready() {
  for (const one of document.querySelectorAll("[data-waits]")) one.disabled = false;
}
addEventListener("pageshow", ({ persisted }) => persisted && ready()); // by Back, as it was left: with what was pressed last disabled
