/** The value of a key that a map itself has; undefined for others, such as `constructor`, which every object inherits. */
export const ownValue = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;
