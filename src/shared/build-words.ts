/** The words for builds: `latest`, and `previous` for the build before it or before the other of two. */

/** A build in the order of builds. */
export interface OrderedBuild {
  readonly version: string;
  /** Testers in the environment; undefined if the service does not report it. */
  readonly testerCount?: number | undefined;
  /** Null or undefined if it is not registered. */
  readonly registeredAt?: number | null | undefined;
}

/** The build before another one, and those between that have too few testers. */
export interface BuildBefore {
  readonly version: string;
  readonly skipped: readonly string[];
}

/** The versions of two builds; null for a word that names none. */
export interface NamedPair {
  readonly a: string | null;
  readonly b: string | null;
  /** Builds that `previous` passed over; see `BuildBefore`. */
  readonly skipped: readonly string[];
}

export const isBuildWord = (word: unknown): word is "latest" | "previous" =>
  word === "latest" || word === "previous";

/**
 * The last build with enough testers, so that one session cannot make a build the baseline. If none has enough, the last build.
 * `earlier` has the builds before another one, the last one first.
 */
export function findBefore(earlier: readonly OrderedBuild[], minTesters: number): BuildBefore | null {
  const at = earlier.findIndex(({ testerCount }) => testerCount === undefined || testerCount >= minTesters);
  const found = earlier[Math.max(at, 0)];
  if (found === undefined) return null;
  return { version: found.version, skipped: earlier.slice(0, Math.max(at, 0)).map(({ version }) => version) };
}

/**
 * The builds before another one, the last one first. Where builds are registered, one that is not comes after all of them.
 * `builds` has those of an environment, the last one first.
 */
export function listBefore<B extends OrderedBuild>(builds: readonly B[], version: string): readonly B[] {
  const at = builds.findIndex((build) => build.version === version);
  if (at >= 0) return builds.slice(at + 1);
  return builds.some(({ registeredAt }) => (registeredAt ?? null) !== null) ? builds : [];
}

/** Resolves two names of builds. `builds` has those of an environment, the last one first. */
export function resolveBuildWords(
  { a, b }: { readonly a: string; readonly b: string },
  builds: readonly OrderedBuild[],
  minTesters: number,
): NamedPair {
  const latest = builds[0]?.version ?? null;
  const before = (version: string | null) =>
    version === null ? null : findBefore(listBefore(builds, version), minTesters);
  const resolve = (word: string, previous: BuildBefore | null): BuildBefore | null => {
    if (word === "previous") return previous;
    const version = word === "latest" ? latest : word;
    return version === null ? null : { version, skipped: [] };
  };
  const after = resolve(b, before(latest));
  const first = resolve(a, before(after?.version ?? null));
  return {
    a: first?.version ?? null,
    b: after?.version ?? null,
    skipped: [...(first?.skipped ?? []), ...(after?.skipped ?? [])],
  };
}

/** The command that makes a build that was played one of the registered builds. */
export const ADOPT_COMMAND = "playtest admin builds adopt <version>";

/** Says why a game has no latest build although it was played: none of its registered builds was. */
export const describeUnplayed = (environment: string): string =>
  `No registered build has sessions${environment === "all" ? "" : ` in ${environment}`}. Register one that was played with \`${ADOPT_COMMAND}\`.`;

/** The maximum number of builds that a note names. */
const MAX_NAMED = 3;

/** Says which build `previous` is, if that is not the one right before; otherwise null. */
export function describeSkipped({ version, skipped }: BuildBefore, minTesters: number): string | null {
  if (skipped.length === 0) return null;
  const rest = skipped.length - MAX_NAMED;
  const names = [...skipped.slice(0, MAX_NAMED), ...(rest > 0 ? [`${rest} more`] : [])];
  const last = names.pop() ?? "";
  const [subject, verb] = names.length === 0 ? [last, "has"] : [`${names.join(", ")} and ${last}`, "have"];
  return `\`previous\` is ${version}, because ${subject} ${verb} fewer than ${minTesters} testers.`;
}
