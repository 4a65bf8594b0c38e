/** The words for builds: `latest`, and `previous` for the build before it or before the other of two. */

/** The versions of two builds; null for a word that names none. */
export interface NamedPair {
  readonly a: string | null;
  readonly b: string | null;
}

export const isBuildWord = (word: unknown): word is "latest" | "previous" =>
  word === "latest" || word === "previous";

/** Resolves two names of builds. `versions` has the builds of an environment, the last one first. */
export function resolveBuildWords(
  { a, b }: { readonly a: string; readonly b: string },
  versions: readonly string[],
): NamedPair {
  const latest = versions[0] ?? null;
  const before = (version: string | null) => {
    const at = version === null ? -1 : versions.indexOf(version);
    return at < 0 ? null : (versions[at + 1] ?? null);
  };
  const resolve = (word: string, previous: string | null) =>
    word === "latest" ? latest : word === "previous" ? previous : word;
  const after = resolve(b, before(latest));
  return { a: resolve(a, before(after)), b: after };
}
