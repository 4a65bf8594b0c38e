/** What an export does not include because of its time. */

/** The numbers of items of a series that are not exported because of their time. */
export interface LeftOut {
  /** Before the range. With --since-last, earlier runs may have exported them. */
  readonly before: number;
  /** After the range, but not in the future. */
  readonly after: number;
  /** After the range and in the future, because of a wrong clock. They are exported once their time has come. */
  readonly future: number;
}
