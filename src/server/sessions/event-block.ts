/**
 * The format of blocks of event counts: the names as JSON, and for each name and day a pair of doubles. The first one is
 * the place, 32 * the index of the name + the day within the block. The second one is the count.
 */
import { DamagedData, parseStoredJson, readDoubles } from "../core/stored-data.ts";
import type { DayRange } from "../db/counters.ts";
import type { EventCountBlockRow } from "../db/schema.ts";

/** Bits of a place that contain the day. */
const DAY_BITS = 5;
const DAYS_PER_BLOCK = 2 ** DAY_BITS;
const DAY_MASK = DAYS_PER_BLOCK - 1;
export const BYTES_PER_COUNT = 16;

/** The number of the block that contains a day. */
export const toBlockNumber = (day: number): number => Math.floor(day / DAYS_PER_BLOCK);

export const listBlockDays = (block: number): DayRange => ({
  first: block * DAYS_PER_BLOCK,
  last: block * DAYS_PER_BLOCK + DAYS_PER_BLOCK - 1,
});

export interface DayCount {
  readonly name: string;
  readonly day: number;
  readonly count: number;
}

export type StoredCounts = Pick<EventCountBlockRow, "block" | "names" | "counts">;

interface DecodedBlock {
  readonly firstDay: number;
  readonly names: readonly string[];
  readonly pairs: Float64Array;
}

/** Throws DamagedData if a name or a part of a count is missing. */
function decode({ block, names, counts }: StoredCounts): DecodedBlock {
  const parsed = parseStoredJson(names, "The list of names of a block of event counts");
  if (!Array.isArray(parsed) || counts.byteLength % BYTES_PER_COUNT !== 0)
    throw new DamagedData("A block of event counts is incomplete");
  const pairs = readDoubles(counts);
  const end = DAYS_PER_BLOCK * parsed.length;
  for (let at = 0; at < pairs.length; at += 2) {
    const place = pairs[at] ?? -1;
    if ((place | 0) !== place || place < 0 || place >= end)
      throw new DamagedData("A block of event counts has a count without a name");
  }
  return { firstDay: listBlockDays(block).first, names: parsed, pairs };
}

/** Sums the counts of each name over the days. Names without a count in these days have the sum 0. */
export function sumByName(stored: StoredCounts, days: DayRange): [name: string, count: number][] {
  const { firstDay, names, pairs } = decode(stored);
  const [first, last] = [days.first - firstDay, days.last - firstDay];
  const sums = new Float64Array(names.length);
  for (let at = 0; at < pairs.length; at += 2) {
    const place = pairs[at] ?? 0;
    // Shifts take half the time of a division.
    const [index, day] = [place >> DAY_BITS, place & DAY_MASK];
    if (day >= first && day <= last) sums[index] = (sums[index] ?? 0) + (pairs[at + 1] ?? 0);
  }
  return names.map((name, index) => [name, sums[index] ?? 0]);
}

/** Lists the counts of the days, by name. */
export function listDayCounts(stored: StoredCounts, days = listBlockDays(stored.block)): DayCount[] {
  const { firstDay, names, pairs } = decode(stored);
  const counts: DayCount[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const place = pairs[at] ?? 0;
    const day = firstDay + (place & DAY_MASK);
    if (day < days.first || day > days.last) continue;
    const name = names[place >> DAY_BITS] ?? "";
    counts.push({ name, day, count: pairs[at + 1] ?? 0 });
  }
  return counts;
}

/** Stores counts as a block. Counts of the same name and day are added, and counts of 0 are left out. Null if none is left. */
export function encodeBlock(block: number, counts: readonly DayCount[]): StoredCounts | null {
  const { first } = listBlockDays(block);
  const byName = new Map<string, Map<number, number>>();
  for (const { name, day, count } of counts) {
    const byDay = byName.get(name) ?? new Map<number, number>();
    byName.set(name, byDay.set(day, (byDay.get(day) ?? 0) + count));
  }
  const names: string[] = [];
  const pairs: number[] = [];
  for (const [name, byDay] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const own = [...byDay].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b);
    for (const [day, count] of own) pairs.push(names.length * DAYS_PER_BLOCK + day - first, count);
    if (own.length > 0) names.push(name);
  }
  if (names.length === 0) return null;
  return { block, names: JSON.stringify(names), counts: new Uint8Array(Float64Array.from(pairs).buffer) };
}
