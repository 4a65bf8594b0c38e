/** Counts equal rows. Two players' clicks in the same millisecond are two events, although their rows are equal. */

/** The number of recent rows that are certainly remembered. Equal rows further apart get the same id. */
const REMEMBERED_ROWS = 200_000;

export class OccurrenceCounter {
  #recent = new Map<string, number>();
  #older = new Map<string, number>();

  /** How many times the hash was counted, including this time. Depends only on the rows before, so it is the same in each run. */
  count(hash: string): number {
    const count = (this.#recent.get(hash) ?? this.#older.get(hash) ?? 0) + 1;
    this.#recent.set(hash, count);
    if (this.#recent.size > REMEMBERED_ROWS) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    return count;
  }
}
