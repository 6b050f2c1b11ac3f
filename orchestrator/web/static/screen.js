// The screen: kept awake while the clock runs, and filled by the page when somebody wants it.

let lock = null;
let isWanted = false;

async function hold() {
  if (!isWanted || lock !== null || document.visibilityState !== "visible") return;
  try {
    lock = await navigator.wakeLock.request("screen");
  } catch {
    return; // no such thing here, a low battery, or a page that came without https
  }
  lock.addEventListener("release", () => { lock = null; });
  if (!isWanted) lock.release();
}

/** Keep the screen awake, or let it sleep again; a browser lets go by itself where the page is not seen. */
export function keepAwake(is) {
  isWanted = is;
  if (is) hold();
  else lock?.release();
}
document.addEventListener("visibilitychange", hold);

/** The button `full` fills the screen and leaves it again, and says which. */
export function fillScreen() {
  if (document.fullscreenElement) return document.exitFullscreen();
  return document.documentElement.requestFullscreen?.().catch(() => {}); // refused in an embedded view, say
}

export function offerFullScreen(button) {
  button.hidden = !document.fullscreenEnabled;
  button.addEventListener("click", fillScreen);
  document.addEventListener("fullscreenchange", () => {
    const is = document.fullscreenElement !== null;
    button.setAttribute("aria-pressed", String(is));
    button.textContent = is ? "Leave full screen" : "Full screen";
  });
}
