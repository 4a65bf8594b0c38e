/** The file of the names known of one profile and base URL. A file that cannot be read only means fewer completions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isOffered, type Named, type Names, nameKinds, noNames } from "./names.ts";

/** Whose names they are. */
export interface Place {
  readonly stateDir: string;
  readonly profile: string;
  /** As settings give it: an origin, and a path without a slash at its end. */
  readonly baseUrl: string;
}

const LONGEST_NAME = 180;

/** The folder of what completions know. */
export const completionFolder = (stateDir: string): string => join(stateDir, "completion");

export function cacheFileOf({ stateDir, profile, baseUrl }: Place): string {
  const name = encodeURIComponent(`${profile} ${baseUrl}`.toWellFormed()).slice(0, LONGEST_NAME);
  return join(completionFolder(stateDir), `${name}.json`);
}

/** The names that are known; none where the file is missing, broken or another's. */
export function readNames(place: Place): Names {
  try {
    const content = JSON.parse(readFileSync(cacheFileOf(place), "utf8")) as Names & Partial<Place>;
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
