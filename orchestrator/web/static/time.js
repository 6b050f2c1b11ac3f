// The clock of a session and the time that is used, running on between two words of the server.

import { knownUntil } from "./heartbeat.js";
import { clock } from "./words.js";

const $ = (id) => document.getElementById(id);

/** The room that an event of the stream brings; `seenAt` is when it was so, by `performance.now()`. */
export const viewOf = ({ data, at }) => ({ ...JSON.parse(data), seenAt: performance.now() - Math.max(0, Date.now() - at) });

/** Seconds for which the clock has run on since a view came, as far as the server is known to have been there. */
const sinceSeen = (view) => (view.is_running ? Math.max(0, knownUntil() - view.seenAt) / 1000 : 0);

/** The session's clock now, in seconds. */
export const nowOf = (view) => view.now_s + sinceSeen(view);

/** Seconds that are used now. */
export const usedNow = (view) => view.used_s + sinceSeen(view);

/** Show the time used, its share, and what is left of it; `room` gets the colours by `data-time`. */
export function showTime(room, view) {
  const used = usedNow(view);
  const share = used / (view.minutes * 60);
  const passed = view.warnings.filter((one) => share >= one).length;
  const left = view.minutes * 60 - used;
  const words = share >= 1 ? `${clock(-left)} over` : passed ? `${clock(left)} left` : "";
  if ($("used").textContent !== clock(used)) $("used").textContent = clock(used);
  if ($("left").textContent !== words) $("left").textContent = words;
  $("budget").textContent = `${view.minutes}:00`;
  $("budget-bar").value = Math.min(1, share);
  room.dataset.time = share >= 1 ? "over" : ["", "short", "late"][Math.min(passed, 2)];
}
