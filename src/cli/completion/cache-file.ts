/** The cache file of names for one profile and base URL. An unreadable file only means fewer completions. */
import { join } from "node:path";
import { readRegularFile } from "../../shared/regular-file.ts";
import { emptyNameCache, isCompletable, type NameCache, type NameEntry, nameKinds } from "./names.ts";

/** The profile and service that names belong to. */
export interface CompletionScope {
  readonly stateDir: string;
  readonly profile: string;
  /** The base URL, normalized as in settings: without a trailing slash. */
  readonly baseUrl: string;
}

const MAX_FILE_NAME = 180;

/** The folder of the cache files. */
export const completionFolder = (stateDir: string): string => join(stateDir, "completion");

export function getCacheFilePath({ stateDir, profile, baseUrl }: CompletionScope): string {
  const name = encodeURIComponent(`${profile} ${baseUrl}`.toWellFormed()).slice(0, MAX_FILE_NAME);
  return join(completionFolder(stateDir), `${name}.json`);
}

/** The cached names. Empty if the file is missing, invalid, or of another scope (long file names are truncated). */
export function readNameCache(scope: CompletionScope): NameCache {
  try {
    const content = JSON.parse(readRegularFile(getCacheFilePath(scope))) as NameCache &
      Partial<CompletionScope>;
    if (content.profile !== scope.profile || content.baseUrl !== scope.baseUrl) return emptyNameCache;
    const lists = nameKinds.map((kind) => [kind, content.lists[kind].filter(isNameEntry)]);
    const readAt = Object.entries(content.readAt).filter(([, at]) => typeof at === "number");
    return { lists: Object.fromEntries(lists), readAt: Object.fromEntries(readAt) };
  } catch {
    return emptyNameCache;
  }
}

function isNameEntry(value: unknown): value is NameEntry {
  if (!Array.isArray(value)) return false;
  const [name, game, at] = value as unknown[];
  return isCompletable(name) && typeof game === "string" && typeof at === "number";
}
