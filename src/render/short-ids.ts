/** Shortens ids for tables to the shortest unique prefixes, as git does. */
import { idKinds, MIN_SHORT_ID_LENGTH } from "../contract/id-kinds.ts";

/** The kind of an id that commands accept in short form. Ids that games choose, such as those of devices, have none. */
const findKind = (id: string) => idKinds.find((kind) => id.startsWith(`${kind}_`));

/** Returns the shortest beginning of each id that no other id in the list has. Other values stay whole. */
export function shortenIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
  return new Map(
    sorted.map((id, index) => {
      const kind = findKind(id);
      if (kind === undefined) return [id, id];
      const neighbors = [sorted[index - 1] ?? "", sorted[index + 1] ?? ""];
      const shared = Math.max(...neighbors.map((other) => countShared(id, other)));
      return [id, id.slice(0, Math.max(kind.length + 1 + MIN_SHORT_ID_LENGTH, shared + 1))];
    }),
  );
}

function countShared(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
