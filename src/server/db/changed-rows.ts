/** Compares stored rows with those that are to replace them. */

/** The rows that only one of the lists contains: those that were removed, then those that were added. */
export function findChangedRows<Row extends object>(previous: readonly Row[], next: readonly Row[]): Row[] {
  const [before, after] = [new Set(previous.map(serialize)), new Set(next.map(serialize))];
  return [
    ...previous.filter((row) => !after.has(serialize(row))),
    ...next.filter((row) => !before.has(serialize(row))),
  ];
}

/** The columns in a fixed order, because engines return them in different ones. */
function serialize(row: object): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}
