// What the server tells of one room, told to all its pages in this browser by one stream.
//
// A browser holds six connections to a server, and a stream takes one for as long as its page is open: six
// pages of a room left none for what the presenter said. So one page leads: whoever holds the room's lock has
// the stream, and passes on what comes to the others by a channel. The lock goes over by itself when the page
// is closed, reloaded or crashes, and the new leader's stream begins with the whole moment, so nothing has to
// be handed over. A SharedWorker would do the same, but Chrome on Android has none, and what goes through a
// worker is seen by no page's tools. Without locks (a page from another machine without https) each page has a
// stream of its own.

import { MAX_SILENCE_S } from "./heartbeat.js";
import { pathTo } from "./place.js";

const EVENTS = ["room", "partial", "gone", "heartbeat"];
const AGAIN_MS = 2000;
const LOOK_MS = 1000;

/**
 * Call `take` with each `{ name, data, at }`: one of EVENTS with its data as text, or "lost" where the stream
 * broke off. `at` is when it came, by `Date.now()`: a page that was opened later is told the last of each.
 */
export function follow(session, take) {
  const address = pathTo(`api/v1/sessions/${encodeURIComponent(session)}/room/events`);
  if (!navigator.locks || !window.BroadcastChannel) return listen(address, take);
  const name = `greenroom ${address}`;
  const channel = new BroadcastChannel(name);
  const last = new Map();
  let leads = false;
  let listens = false;
  let heardAt = performance.now();
  const tellAll = () => { for (const told of last.values()) channel.postMessage(told); };
  channel.addEventListener("message", ({ data }) => {
    if (data.asks) return leads && tellAll();
    heardAt = performance.now();
    if (!listens) take(data);
  });
  channel.postMessage({ asks: true });
  const begin = () => {
    listens = true;
    listen(address, (told) => {
      last.set(told.name === "lost" ? "room" : told.name, told); // what was last known is known no more
      if (leads) channel.postMessage(told);
      take(told);
    });
  };
  navigator.locks.request(name, () => {
    leads = true;
    if (listens) tellAll();
    else begin();
    return new Promise(() => {}); // until this page is gone
  });
  // Twice the leader's own patience: where the server is silent, the leader says so before.
  setInterval(() => !listens && performance.now() - heardAt > 2 * MAX_SILENCE_S * 1000 && begin(), LOOK_MS);
}

function listen(address, take) {
  const events = new EventSource(address);
  let heardAt = performance.now();
  const told = (name, data) => take({ name, data, at: Date.now() });
  const again = () => {
    clearInterval(looking);
    events.close();
    setTimeout(listen, AGAIN_MS, address, take);
  };
  const looking = setInterval(() => {
    if (performance.now() - heardAt < MAX_SILENCE_S * 1000) return;
    told("lost", ""); // a connection can die without a word: another one may live
    again();
  }, LOOK_MS);
  for (const name of EVENTS) {
    events.addEventListener(name, ({ data }) => {
      heardAt = performance.now();
      told(name, data);
    });
  }
  events.addEventListener("error", () => {
    told("lost", "");
    if (events.readyState === EventSource.CLOSED) again(); // it gives up at a refusal
  });
}
