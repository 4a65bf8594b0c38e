/**
 * Divides the testers of two groups again in ways that are as likely as the real one if the groups do not differ: testers in
 * one group only are dealt out again, and those in both swap what they did in each with a chance of one half.
 */

/** How many testers there are in each group, and in both. */
export interface GroupSizes {
  readonly onlyA: number;
  readonly onlyB: number;
  readonly both: number;
}

/**
 * The records of two groups, one for each tester and group: first those who are only in a, then those only in b, then two
 * for each tester in both, a before b.
 */
export const countRecords = ({ onlyA, onlyB, both }: GroupSizes): number => onlyA + onlyB + 2 * both;

/** A set of records: one bit each. */
export type Records = Uint32Array;

export const createRecords = (sizes: GroupSizes): Records =>
  new Uint32Array(Math.ceil(countRecords(sizes) / 32));

export function addRecord(records: Records, at: number): void {
  records[at >>> 5] = (records[at >>> 5] ?? 0) | (1 << (at & 31));
}

export const hasRecord = (records: Records, at: number): boolean =>
  ((records[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0;

/**
 * The number of records that are in both sets. Four words at a time are added as bits worth 1, 2 and 4, so that only one
 * of four has to be counted: the carry-save adders of H. S. Warren, "Hacker's Delight" (2012), 5-1, after R. Harley and D. Seal.
 */
export function countCommon(one: Records, other: Records): number {
  let [ones, twos, fours] = [0, 0, 0];
  const common = (at: number) => (one[at] ?? 0) & (other[at] ?? 0);
  let at = 0;
  for (; at + 4 <= one.length; at += 4) {
    const [first, second, third, fourth] = [common(at), common(at + 1), common(at + 2), common(at + 3)];
    const odd = ones ^ first;
    const low = (ones & first) | (odd & second);
    const odder = odd ^ second ^ third;
    const high = ((odd ^ second) & third) | (odder & fourth);
    ones = odder ^ fourth;
    fours += countBits((twos & low) | ((twos ^ low) & high));
    twos ^= low ^ high;
  }
  let count = 4 * fours + 2 * countBits(twos) + countBits(ones);
  for (; at < one.length; at += 1) count += countBits(common(at));
  return count;
}

/** H. S. Warren, "Hacker's Delight" (2012), 5-1. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** A way to divide the testers: the records that are those of b. */
export interface Division {
  readonly recordsOfB: Records;
}

/** Counts the records of a set that a division gives to b. */
export type RecordCounter = (division: Division) => number;

/** A set with fewer records than words is counted record by record. */
export function createCounter(set: Records): RecordCounter {
  const listed = listRecords(set, set.length);
  return listed === null
    ? ({ recordsOfB }) => countCommon(recordsOfB, set)
    : ({ recordsOfB }) => countListed(recordsOfB, listed);
}

/** The counter of a set, which equal sets share. */
export type ShareCounter = (set: Records) => RecordCounter;

/** Each counter counts once for each division. */
export function createCounters(): ShareCounter {
  const known = new Map<string, RecordCounter>();
  return (set) => {
    const key = set.join();
    const counter = known.get(key) ?? countOnce(createCounter(set));
    known.set(key, counter);
    return counter;
  };
}

function countOnce(counter: RecordCounter): RecordCounter {
  let counted: Division | null = null;
  let count = 0;
  return (division) => {
    if (division !== counted) count = counter(division);
    counted = division;
    return count;
  };
}

/** The records of a set; null if there are more than `maximum`. */
function listRecords(set: Records, maximum: number): Uint32Array | null {
  const listed: number[] = [];
  for (let at = 0; at < set.length * 32; at += 1) {
    if (!hasRecord(set, at)) continue;
    if (listed.length === maximum) return null;
    listed.push(at);
  }
  return Uint32Array.from(listed);
}

function countListed(records: Records, listed: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < listed.length; at += 1) {
    const record = listed[at] ?? 0;
    count += ((records[record >>> 5] ?? 0) >>> (record & 31)) & 1;
  }
  return count;
}

/** The groups as they are. */
export function findActual(sizes: GroupSizes): Division {
  const { onlyA, onlyB, both } = sizes;
  const records = createRecords(sizes);
  for (let at = onlyA; at < onlyA + onlyB; at += 1) addRecord(records, at);
  for (let pair = 0; pair < both; pair += 1) addRecord(records, onlyA + onlyB + 2 * pair + 1);
  return { recordsOfB: records };
}

/** Returns a function that divides the testers at random. Its result is only valid until the next call. */
export function createDealer(sizes: GroupSizes, random: () => number): () => Division {
  const { onlyA, onlyB, both } = sizes;
  const single = onlyA + onlyB;
  const order = Uint32Array.from({ length: single }, (_, at) => at);
  const records = createRecords(sizes);
  // The smaller group is drawn, because drawing costs a step for each record.
  const [drawn, isB] = onlyB <= onlyA ? [onlyB, true] : [onlyA, false];
  return () => {
    records.fill(0);
    for (let at = 0; at < drawn; at += 1) {
      const other = at + Math.floor(random() * (single - at));
      const chosen = order[other] ?? 0;
      order[other] = order[at] ?? 0;
      order[at] = chosen;
      if (isB) addRecord(records, chosen);
    }
    if (!isB) for (let at = drawn; at < single; at += 1) addRecord(records, order[at] ?? 0);
    for (let pair = 0; pair < both; pair += 1)
      addRecord(records, single + 2 * pair + (random() < 0.5 ? 0 : 1));
    return { recordsOfB: records };
  };
}
