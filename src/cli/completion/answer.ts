/** `playtest __complete <kind> -- <words>`: prints the names that a shell offers, one per line, from the cache on disk. */
import type { Io } from "../io.ts";
import { readNameCache } from "./cache-file.ts";
import { readLineContext } from "./line-context.ts";
import { getReadAtKey, isCompletable, type NameKind, nameKinds, STALE_MS, selectNames } from "./names.ts";

/** Prints the names. The exit code is always 0, because a shell cannot show errors while it completes. */
export async function complete(argv: readonly string[], io: Io): Promise<number> {
  const [requestedKind, , ...words] = argv;
  const line = readLineContext(words, io);
  if (requestedKind === "profiles") return await writeNames(line.profiles.filter(isCompletable), io);
  const kind = nameKinds.find((candidate) => candidate === requestedKind);
  if (!kind || line.baseUrl === null) return 0;
  const { profile, baseUrl, game } = line;
  const names = readNameCache({ stateDir: io.stateDir, profile, baseUrl });
  await writeNames(selectNames(names, kind, game), io);
  if (line.hasKey)
    await refreshIfStale(kind, { ...line, baseUrl }, names.readAt[getReadAtKey(kind, game)], io);
  return 0;
}

async function writeNames(names: readonly string[], io: Io): Promise<number> {
  if (names.length > 0) await io.out.write(names.map((name) => `${name}\n`).join("")).catch(() => {});
  return 0;
}

async function refreshIfStale(
  kind: NameKind,
  { profile, baseUrl, game }: { profile: string; baseUrl: string; game: string | null },
  readAt: number | undefined,
  io: Io,
): Promise<void> {
  const age = readAt === undefined ? Number.POSITIVE_INFINITY : io.now() - readAt;
  if ((age >= 0 && age < STALE_MS) || io.env.PLAYTEST_NO_COMPLETION_REFRESH || io.env.CI) return;
  const { startRefresh } = await import("./refresh.ts");
  startRefresh({ kind, profile, baseUrl, game }, io);
}
