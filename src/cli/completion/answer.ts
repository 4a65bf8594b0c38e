/** `playtest __complete <kind> -- <words before>`: the names a shell may offer, a line each, from what is kept on disk alone. */
import type { Io } from "../io.ts";
import { readNames } from "./cache-file.ts";
import { isOffered, type NameKind, nameKinds, namesOf, readKey, STALE_MS } from "./names.ts";
import { whereOf } from "./where.ts";

/** Answers 0 whatever happens: a shell that completes has nowhere to tell a fault. */
export async function complete(argv: readonly string[], io: Io): Promise<number> {
  const [asked, , ...words] = argv;
  const where = whereOf(words, io);
  if (asked === "profiles") return await tell(where.profiles.filter(isOffered), io);
  const kind = nameKinds.find((known) => known === asked);
  if (!kind || where.baseUrl === null) return 0;
  const { profile, baseUrl, game } = where;
  const names = readNames({ stateDir: io.stateDir, profile, baseUrl });
  await tell(namesOf(names, kind, game), io);
  if (where.hasKey) await refreshIfStale(kind, { ...where, baseUrl }, names.readAt[readKey(kind, game)], io);
  return 0;
}

async function tell(names: readonly string[], io: Io): Promise<number> {
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
  const { refresh } = await import("./refresh.ts");
  refresh({ kind, profile, baseUrl, game }, io);
}
