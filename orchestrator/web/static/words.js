// Words as pages say them.

export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** A refusal of the server's as a sentence; the marks around a command are for terminals. */
export const sentence = (words) =>
  words.replaceAll("`", "").replace(/^[a-z](?=[a-z]*[ ,])/, (first) => first.toUpperCase()).replace(/([^.!?])$/, "$1.");
