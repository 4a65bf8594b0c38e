/** What every renderer is told of the place its text goes to. */

export interface RenderOptions {
  /** Columns of the terminal; nothing is cut where `tty` is false. */
  readonly width: number;
  /** Colours it shows: none, 16, 256 or truecolor. */
  readonly color: 0 | 1 | 2 | 3;
  /** True for a screen reader: no box drawing, no colour. */
  readonly plain: boolean;
  /** True where a table shows its wide columns too. */
  readonly wide: boolean;
  /** True at a terminal; false in a pipe or a file. */
  readonly tty: boolean;
  /** The time that ages are counted from, unix ms. */
  readonly now: number;
  /** IANA zone of the times shown, such as Europe/Berlin; UTC unless the user says otherwise. */
  readonly tz: string;
}
