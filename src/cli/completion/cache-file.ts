/** The file of the names known of one profile and base URL. A file that cannot be read only means fewer completions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { emptyNameCache, isCompletable, type NameCache, type NameEntry, nameKinds } from "./names.ts";

/** Whose names they are. */
export interface CompletionScope {
  readonly stateDir: string;
  readonly profile: string;
  /** As settings give it: an origin, and a path without a slash at its end. */
  readonly baseUrl: string;
}

const MAX_FILE_NAME = 180;

/** The folder of what completions know. */
export const completionFolder = (stateDir: string): string => join(stateDir, "completion");

export function getCacheFilePath({ stateDir, profile, baseUrl }: CompletionScope): string {
  const name = encodeURIComponent(`${profile} ${baseUrl}`.toWellFormed()).slice(0, MAX_FILE_NAME);
  return join(completionFolder(stateDir), `${name}.json`);
}

/** The names that are known; none where the file is missing, broken or another's. */
export function readNameCache(place: CompletionScope): NameCache {
  try {
    const content = JSON.parse(readFileSync(getCacheFilePath(place), "utf8")) as NameCache &
      Partial<CompletionScope>;
    if (content.profile !== place.profile || content.baseUrl !== place.baseUrl) return emptyNameCache;
    const lists = nameKinds.map((kind) => [kind, content.lists[kind].filter(isNameEntry)]);
    const readAt = Object.entries(content.readAt).filter(([, at]) => typeof at === "number");
    return { lists: Object.fromEntries(lists), readAt: Object.fromEntries(readAt) };
  } catch {
    return emptyNameCache;
  }
}

function isNameEntry(given: unknown): given is NameEntry {
  if (!Array.isArray(given)) return false;
  const [name, game, at] = given as unknown[];
  return isCompletable(name) && typeof game === "string" && typeof at === "number";
}
