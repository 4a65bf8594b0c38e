/** The options that all renderers share, which describe where the text goes. */

export interface RenderOptions {
  /** Columns of the terminal. Nothing is truncated if `tty` is false. */
  readonly width: number;
  /** Color support: 0 for none, 1 for 16 colors, 2 for 256 colors, 3 for truecolor. */
  readonly color: 0 | 1 | 2 | 3;
  /** For screen readers: no box drawing characters and no color. */
  readonly plain: boolean;
  /** Whether tables include their wide columns. */
  readonly wide: boolean;
  /** True at a terminal, false for a pipe or a file. */
  readonly tty: boolean;
  /** The current time in Unix ms, for relative times. */
  readonly now: number;
  /** The IANA time zone of displayed times, such as Europe/Berlin. */
  readonly tz: string;
}
