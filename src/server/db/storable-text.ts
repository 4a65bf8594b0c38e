/** Text that both engines store unchanged. */

/** Whether both engines can store a text and find it again: Postgres refuses NUL and changes lone surrogates. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
