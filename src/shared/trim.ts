/** Trims texts in linear time. An expression such as `/-+$/` takes quadratic time on a long run inside of a text. */

/** Removes all occurrences of a character at the end of a text. */
export function trimEndOf(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
