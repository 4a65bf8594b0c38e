/** A piece of prose from a source file: a paragraph, a message, a comment or the title of a test. */

export type SegmentKind = "paragraph" | "message" | "comment" | "title";

export interface Segment {
  kind: SegmentKind;
  /** The prose without markup, quotes and comment marks. */
  text: string;
  /** For each character of `text`, its offset in the file. */
  offsets: readonly number[];
}

/** Replaces code and the values of templates. It is neither a word nor a space. */
const PLACEHOLDER = "\uFFFC";

/** Collects the prose of one segment character by character, so that findings point into the file. */
export class SegmentBuilder {
  #text = "";
  #offsets: number[] = [];

  /** Adds text that is in the file exactly like this, starting at an offset. */
  copy(text: string, offset: number): void {
    for (let index = 0; index < text.length; index++) this.put(text[index] ?? "", offset + index);
  }

  /** Adds one character, which may be escaped in the file. */
  put(character: string, offset: number): void {
    this.#text += character;
    this.#offsets.push(offset);
  }

  /** Adds a placeholder for code or for a value. */
  skip(offset: number): void {
    this.put(PLACEHOLDER, offset);
  }

  build(kind: SegmentKind): Segment {
    const text = this.#text.replace(/`[^`]*`/g, (code) => PLACEHOLDER.repeat(code.length));
    return { kind, text, offsets: this.#offsets };
  }
}

/** Line and column of an offset, both counted from 1. */
export function positionIn(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
