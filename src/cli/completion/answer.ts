/** `playtest __complete <kind> -- <words before>`: the names a shell may offer, a line each, from what is kept on disk alone. */
import type { Io } from "../io.ts";
import { readNameCache } from "./cache-file.ts";
import { readLineContext } from "./line-context.ts";
import { getReadAtKey, isCompletable, type NameKind, nameKinds, STALE_MS, selectNames } from "./names.ts";

/** Answers 0 whatever happens: a shell that completes has nowhere to tell a fault. */
export async function complete(argv: readonly string[], io: Io): Promise<number> {
  const [asked, , ...words] = argv;
  const where = readLineContext(words, io);
  if (asked === "profiles") return await writeNames(where.profiles.filter(isCompletable), io);
  const kind = nameKinds.find((known) => known === asked);
  if (!kind || where.baseUrl === null) return 0;
  const { profile, baseUrl, game } = where;
  const names = readNameCache({ stateDir: io.stateDir, profile, baseUrl });
  await writeNames(selectNames(names, kind, game), io);
  if (where.hasKey)
    await refreshIfStale(kind, { ...where, baseUrl }, names.readAt[getReadAtKey(kind, game)], io);
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
