// Which microphone: those that are there, by their names, and the one that was chosen, which this browser remembers.

const CHOSEN = "greenroom.microphone";

/** The microphones that are there, `{ id, name }` each. Names are "" until the browser has let this page have one. */
export async function microphones() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices.filter(({ kind }) => kind === "audioinput").map(({ deviceId, label }) => ({ id: deviceId, name: label }));
}

/** What was chosen, `{ id, name }`; null: nothing, so the browser's own choice. */
export function chosen() {
  try {
    const { id, name } = JSON.parse(localStorage.getItem(CHOSEN));
    return typeof id === "string" && typeof name === "string" ? { id, name } : null;
  } catch {
    return null; // nothing is kept, or not by us
  }
}

/** The chosen one among those that are there, or null. By its name where its id is another: browsers change ids. */
export function chosenOf(known) {
  const wanted = chosen();
  if (wanted === null) return null;
  return known.find(({ id, name }) => id === wanted.id && name === wanted.name) ?? known.find(({ name }) => name === wanted.name) ?? null;
}

/** Offer the microphones in a `<select>`, the one in use marked; it is hidden while their names are not known. */
export function offer(select, known, usedId) {
  const named = known.filter(({ name }) => name !== "");
  select.closest("[data-choice]").hidden = named.length === 0;
  const key = JSON.stringify(named);
  if (select.dataset.key !== key) {
    select.dataset.key = key;
    select.replaceChildren(...named.map(({ id, name }) => new Option(name, id)));
  }
  if (usedId !== null) select.value = usedId;
}

/** Remember what a `<select>` shows now. */
export function remember(select) {
  const [option] = select.selectedOptions;
  localStorage.setItem(CHOSEN, JSON.stringify({ id: option.value, name: option.textContent }));
}
