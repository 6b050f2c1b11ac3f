// Words as pages say them.

export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Seconds as a clock shows them: "4:05". */
export const clock = (seconds) => {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

/** A refusal of the server's as a sentence; the marks around a command are for terminals. */
export const sentence = (words) =>
  words.replaceAll("`", "").replace(/^[a-z](?=[a-z]*[ ,])/, (first) => first.toUpperCase()).replace(/([^.!?])$/, "$1.");

/** What stands behind these words in a text, however they are spaced; null where it does not begin with them. */
export function behind(words, typed) {
  let rest = typed;
  for (const word of words.split(" ")) {
    rest = rest.trimStart();
    if (!rest.startsWith(word)) return null;
    rest = rest.slice(word.length);
    if (/^\S/.test(rest)) return null; // another word
  }
  return rest;
}
