/** The file of the names known of one profile and base URL. No fault of it is ever told: completions offer less, and no more. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  isOffered,
  type Named,
  type Names,
  nameKinds,
  noNames,
  type Sighting,
  withSighting,
} from "./names.ts";

/** Whose names they are. */
export interface Place {
  readonly stateDir: string;
  readonly profile: string;
  /** As settings give it: an origin, and a path without a slash at its end. */
  readonly baseUrl: string;
}

/** So many files are kept: services that are started for one command have an address each. */
const FILES = 20;
const LONGEST_NAME = 180;

/** The folder of what completions know. */
export const completionFolder = (stateDir: string): string => join(stateDir, "completion");

function fileOf({ stateDir, profile, baseUrl }: Place): string {
  const name = encodeURIComponent(`${profile} ${baseUrl}`.toWellFormed()).slice(0, LONGEST_NAME);
  return join(completionFolder(stateDir), `${name}.json`);
}

/** The names that are known; none where the file is missing, broken or another's. */
export function readNames(place: Place): Names {
  try {
    const content = JSON.parse(readFileSync(fileOf(place), "utf8")) as Names & Partial<Place>;
    if (content.profile !== place.profile || content.baseUrl !== place.baseUrl) return noNames;
    const lists = nameKinds.map((kind) => [kind, content.lists[kind].filter(isNamed)]);
    const readAt = Object.entries(content.readAt).filter(([, at]) => typeof at === "number");
    return { lists: Object.fromEntries(lists), readAt: Object.fromEntries(readAt) };
  } catch {
    return noNames;
  }
}

function isNamed(given: unknown): given is Named {
  if (!Array.isArray(given)) return false;
  const [name, game, at] = given as unknown[];
  return isOffered(name) && typeof game === "string" && typeof at === "number";
}

/** Adds what was seen, in one step, readable by its owner alone. */
export function addNames(
  place: Place,
  seen: readonly Sighting[],
  { now, pid }: { now: number; pid: number },
): void {
  const file = fileOf(place);
  const staged = `${file}.${pid}`;
  try {
    const names = seen.reduce((known, one) => withSighting(known, one, now), readNames(place));
    const { profile, baseUrl } = place;
    mkdirSync(completionFolder(place.stateDir), { recursive: true, mode: 0o700 });
    writeFileSync(staged, JSON.stringify({ profile, baseUrl, ...names }), { mode: 0o600, flag: "wx" });
    renameSync(staged, file);
    removeOldest(completionFolder(place.stateDir));
  } catch {
    quietlyRemove(staged);
  }
}

/** Removes what is oldest of too many: apart of services on this machine, so that those push no other out. */
function removeOldest(folder: string): void {
  const files = readdirSync(folder).filter((name) => name.includes(".json"));
  for (const local of [true, false]) {
    const some = files.filter((name) => /127\.0\.0\.1|localhost|%3A%3A1/.test(name) === local);
    if (some.length <= FILES) continue;
    const aged = some.map((name) => [name, statSync(join(folder, name)).mtimeMs] as const);
    for (const [name] of aged.sort((x, y) => y[1] - x[1]).slice(FILES))
      rmSync(join(folder, name), { force: true });
  }
}

function quietlyRemove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
