// The starting page: a deck is sent, what was understood is shown and corrected, then a session begins.

const $ = (id) => document.getElementById(id);
const SETTINGS = "greenroom.settings"; // kept by this browser alone, for the next rehearsal
const KEPT = ["presenter", "minutes", "exchanges", "intensity", "mode", "focus"];

let deck = null; // as /api/decks understood it; {sample: true} of the bundled one

function made(tag, words, className) {
  const element = document.createElement(tag);
  if (words !== undefined) element.textContent = words;
  if (className) element.className = className;
  return element;
}

const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

async function answerOf(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.detail ?? `the server answered ${response.status}`);
  return body;
}

// ------------------------------------------------------------------ the deck

async function read(file) {
  $("unread").textContent = "";
  $("reading").textContent = `Reading ${file.name} …`;
  const form = new FormData();
  form.append("deck", file);
  try {
    understood(await answerOf(await fetch("/api/decks", { method: "POST", body: form })));
  } catch (error) {
    $("unread").textContent = error.message;
  } finally {
    $("reading").textContent = "";
  }
}

async function sample() {
  $("unread").textContent = "";
  try {
    const read = await answerOf(await fetch("/api/decks/sample"));
    understood({ ...read, sample: true });
  } catch (error) {
    $("unread").textContent = error.message;
  }
}

function understood(read) {
  deck = read;
  $("understood").hidden = $("choices").hidden = false;
  $("counts").textContent = [
    `“${read.title}”`,
    counted(read.slides.length, "slide"),
    counted(read.claims.length, "claim") + " with figures or dates",
    counted(read.tensions.length, "contradiction"),
  ].join(" · ");
  $("kind").replaceChildren(
    ...read.kinds.map((name) => {
      const option = made("option", name);
      option.selected = name === read.kind;
      return option;
    }),
  );
  $("slides").replaceChildren(...read.slides.map(slideItem));
  showTensions(read.tensions);
  const notes = [...read.notices, ...read.gaps.map((gap) => `Slide ${gap.slide}: ${gap.note}`)];
  $("gaps").replaceChildren(...(notes.length ? [made("h3", "What could not be read, or is missing"), list(notes)] : []));
  $("understood").scrollIntoView({ block: "start" });
  $("kind").focus({ preventScroll: true });
}

function list(lines) {
  const items = made("ul");
  items.append(...lines.map((words) => made("li", words)));
  return items;
}

function slideItem(slide) {
  const item = made("li");
  const picture = made("img");
  picture.alt = "";
  picture.loading = "lazy";
  picture.src = `/api/decks/${deck.deck}/slides/${slide.slide}.png`;
  picture.addEventListener("error", () => picture.replaceWith(made("span", slide.lines.slice(0, 3).join(" · "), "slide-words")));
  item.append(picture, made("span", slide.title || "no title", "slide-title"));
  return item;
}

function showTensions(tensions) {
  if (!tensions.length) return $("tensions").replaceChildren();
  const items = made("ul", undefined, "tension-list");
  tensions.forEach((tension, number) => {
    const item = made("li");
    const tick = made("input");
    tick.type = "checkbox";
    tick.id = `dismiss-${number + 1}`;
    tick.dataset.number = number + 1;
    const label = made("label", "This is no contradiction", "hint");
    label.htmlFor = tick.id;
    item.append(made("p", tension.note), tick, " ", label);
    items.append(item);
  });
  $("tensions").replaceChildren(made("h3", "Where it contradicts itself"), items);
}

// ------------------------------------------------------------------ beginning

function chosen() {
  const value = (name) => $(name).value.trim();
  const ticked = (name) => [...document.querySelectorAll(`[name=${name}]:checked`)].map((one) => one.value);
  const options = {
    presenter: value("presenter") || null,
    minutes: Number(value("minutes")) || null,
    exchanges: value("exchanges") === "" ? null : Number(value("exchanges")),
    intensity: value("intensity"),
    mode: value("mode"),
    focus: value("focus").split(",").map((one) => one.trim()).filter(Boolean),
    panel: ticked("panel"),
    engine: ticked("engine")[0] ?? null,
    keep_source: $("keep_source").checked,
    remember: $("remember").checked,
    dismissed: [...document.querySelectorAll("#tensions input:checked")].map((one) => Number(one.dataset.number)),
  };
  if ($("kind").value !== deck.kind) options.kind = $("kind").value;
  return { ...options, ...(deck.sample ? { sample: true } : { deck: deck.deck }) };
}

async function begin(event) {
  event.preventDefault();
  if (!deck) return;
  $("refused").textContent = "";
  $("begin").disabled = true;
  try {
    localStorage.setItem(SETTINGS, JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, $(name).value]))));
    const headers = { "content-type": "application/json" };
    const answer = await fetch("/api/sessions", { method: "POST", headers, body: JSON.stringify(chosen()) });
    const started = await answerOf(answer);
    location.assign(`/room/${encodeURIComponent(started.session)}`);
  } catch (error) {
    $("refused").textContent = error.message;
    $("begin").disabled = false;
  }
}

function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(SETTINGS) ?? "{}");
    for (const name of KEPT) if (kept[name]) $(name).value = kept[name];
  } catch {
    localStorage.removeItem(SETTINGS); // not ours, or of another release
  }
}

const drop = $("drop");
$("file").addEventListener("change", () => $("file").files[0] && read($("file").files[0]));
$("sample").addEventListener("click", sample);
$("starting").addEventListener("submit", begin);
drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("is-over"); });
drop.addEventListener("dragleave", () => drop.classList.remove("is-over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("is-over");
  if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
});
recall();
