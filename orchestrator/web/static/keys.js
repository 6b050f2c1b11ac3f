// Keys: of a keyboard, and of a clicker, which sends Page Up and Down or arrows, B or ".", F5 and Escape.
//
// Letters count by their place (`event.code`), so that they work on a Cyrillic or Greek layout. A key that is
// held counts once. A clicker's keys count wherever the focus is. In the field for words a key belongs to the
// words, but for those that no words need: Page Up and Down, F5 and Escape always, and while it is empty the
// arrows, "." and a lone B, behind which nothing comes for LONE_MS. In a choice it belongs to the choice likewise.

const ALWAYS = ["PageDown", "PageUp", "F5", "Escape"]; // a clicker's, which no words and no choice need
const LONE_MS = 600;
const NUMBER_MS = 3000; // a number without Enter is forgotten

const NAMED = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next",
  ArrowLeft: "previous", ArrowUp: "previous", PageUp: "previous",
  F5: "start", Escape: "leave", KeyB: "blank", Period: "blank",
};

/** The name of what a key is for, of `letters` (by code) or of a clicker's; undefined: for nothing here. */
function named(event, letters) {
  if (event.key === "?") return letters["?"];
  // Some clickers, and programs that stand in for one, send a key without its place.
  const code = event.code || (/^[a-z]$/i.test(event.key) ? `Key${event.key.toUpperCase()}` : event.key === "." ? "Period" : event.key);
  if (event.shiftKey && code !== "F5") return undefined;
  return NAMED[event.key] ?? NAMED[code] ?? letters[code] ?? letters[event.key];
}

/**
 * Listen to keys. `acts` has what each name does; `letters` the names by `event.code`; `field` is where words
 * are typed; `jump(number)` goes to a slide, and `counting(text)` shows a number that is being typed.
 */
export function listenToKeys({ acts, letters = {}, field = null, jump, counting }) {
  let number = "";
  let forgetting;
  let lone;
  const count = (digits) => {
    number = digits;
    clearTimeout(forgetting);
    if (digits) forgetting = setTimeout(count, NUMBER_MS, "");
    counting(digits);
  };

  const inField = (event) => {
    clearTimeout(lone);
    const isEmpty = field.value === "";
    const name = named(event, {});
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (ALWAYS.includes(event.key) || (isEmpty && (event.key.startsWith("Arrow") || event.key === "."))) {
      event.preventDefault();
      if (!event.repeat) acts[name]?.(event);
    } else if (isEmpty && name === "blank" && !event.repeat) {
      lone = setTimeout(() => {
        if (field.value.length !== 1) return;
        field.value = "";
        field.dispatchEvent(new Event("input")); // whoever keeps the draft is told
        acts.blank();
      }, LONE_MS);
    }
  };

  const inDialog = (event, dialog) => {
    const controls = [...dialog.querySelectorAll("button, a[href]")].filter((one) => one.offsetParent !== null);
    const by = { next: 1, previous: -1 }[named(event, {})];
    if (event.target.matches("textarea, input")) return;
    if (by !== undefined) {
      const at = controls.indexOf(document.activeElement);
      if (at + by < 0 && !event.repeat) dialog.close(); // further back than its first control is out of it
      controls[Math.min(controls.length - 1, Math.max(0, at + by))]?.focus();
    } else if (named(event, {}) === "blank") document.activeElement.click();
    else if (!(event.repeat && event.key === "Enter")) return;
    event.preventDefault();
  };

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (target === field) return inField(event);
    // A dialog that was closed keeps the focus until the page is drawn again: only an open one takes the keys.
    const dialog = document.querySelector("dialog[open]");
    if (dialog) return inDialog(event, dialog);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches("input, textarea, select") && !ALWAYS.includes(event.key)) return;
    const isControl = target.closest("button, a, summary") !== null;
    const digit = /^[0-9]$/.exec(event.key)?.[0] ?? (event.shiftKey ? undefined : /^Digit(\d)$/.exec(event.code)?.[1]);
    if (digit !== undefined) {
      if (!event.repeat) count(`${number}${digit}`.slice(-4));
    } else if (event.key === "Enter" && (number || (event.repeat && isControl))) {
      if (!event.repeat) jump(Number(number));
      count("");
    } else if (event.key === "Escape" && number) count("");
    else if (event.key === " " && isControl && !event.repeat) return; // it presses what has the focus
    else {
      const name = named(event, letters);
      if (acts[name] === undefined) return;
      if (!event.repeat) acts[name](event);
    }
    event.preventDefault();
  });
}

/** Write beside each key's name what this keyboard writes at its place, where the browser knows it. */
export async function nameKeys(root) {
  const map = await navigator.keyboard?.getLayoutMap?.().catch(() => null);
  for (const key of root.querySelectorAll("[data-code]")) {
    const letter = map?.get(key.dataset.code);
    if (letter) key.textContent = letter.toUpperCase();
  }
}
