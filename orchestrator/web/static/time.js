// The time that is used, running on between two words of the server.

import { knownUntil } from "./heartbeat.js";
import { clock } from "./words.js";

const $ = (id) => document.getElementById(id);

/** Seconds that are used now, or were when the server was last heard from; `seenAt` is when the view came, by `performance.now()`. */
export const usedNow = (view, seenAt) => view.used_s + (view.is_running ? Math.max(0, knownUntil() - seenAt) / 1000 : 0);

/** Show the time used, its share, and what is left of it; `room` gets the colours by `data-time`. */
export function showTime(room, view, seenAt) {
  const used = usedNow(view, seenAt);
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
