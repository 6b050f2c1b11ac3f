// Elements of a page, made and brought up to date so that nothing is read out twice.

export const $ = (id) => document.getElementById(id);

/** Set an element's words, where they are others: a reader of screens is told of each change. */
export function text(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

export function line(tag, words, className) {
  const made = document.createElement(tag);
  made.textContent = words;
  if (className) made.className = className;
  return made;
}

/** A button that looks like the words that it is. */
export function wordsButton(words, className, title, press) {
  const made = line("button", words, className);
  made.type = "button";
  made.title = title;
  made.addEventListener("click", press);
  return made;
}

/** Scroll a list so that its last item is seen, from its beginning where it is longer than the list is high. */
export function showLast(list) {
  list.scrollTop = list.lastElementChild?.offsetTop ?? 0;
}

/** Bring a list up to date; what stands in it already stays, so a reader of screens is told what is new alone. */
export function renew(element, values, made) {
  const keys = values.map((value) => JSON.stringify(value));
  const had = new Map([...element.children].map((child) => [child.dataset.key, child]));
  const items = values.map((value, at) => {
    const item = had.get(keys[at]) ?? made(value);
    item.dataset.key = keys[at];
    return item;
  });
  if (items.length === element.children.length && items.every((item, at) => item === element.children[at])) return;
  for (const child of [...element.children]) if (!items.includes(child)) child.remove();
  items.forEach((item, at) => element.children[at] !== item && element.insertBefore(item, element.children[at] ?? null));
  showLast(element);
  const scroller = element.closest(".spoken");
  if (scroller) scroller.scrollTop = element.offsetTop + element.offsetHeight - scroller.clientHeight;
}
