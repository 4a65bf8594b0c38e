/** Groups values by a key. `Map.groupBy` is not in Node 20. */

/** The values by their key, in the order in which keys and values first occur. */
export function groupBy<Key, Value>(
  values: Iterable<Value>,
  getKey: (value: Value) => Key,
): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) addToGroup(groups, getKey(value), value);
  return groups;
}

/** Adds a value to the group of a key. */
export function addToGroup<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}
