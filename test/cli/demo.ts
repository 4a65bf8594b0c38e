/** Services that hold the demo studio: it is filled in once a run, and each service gets a copy of its database. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { seedSessions } from "../../src/cli/commands/server/demo-sessions.ts";
import { seedDemo } from "../../src/cli/commands/server/seed.ts";
import {
  copyDatabase,
  engine,
  freshFolder,
  NOW,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../harness.ts";

/** A filled database that nobody has open, and what is known of the stopped service that filled it. */
interface Original {
  readonly database: string;
  readonly filledBy: Pick<TestService, "accountId" | "keys" | "ids">;
}

const fills = { sessions: seedSessions, studio: seedDemo };
const originals = new Map<keyof typeof fills, Promise<Original>>();

async function fill(what: keyof typeof fills): Promise<Original> {
  const shared = join(tmpdir(), `demo-${what}`);
  if (existsSync(shared)) return readOriginal(shared);
  const folder = freshFolder();
  const database = join(folder, "demo.db");
  const service = await startTestService({ database });
  await fills[what]({ ...service, database });
  await service.analysis.drain();
  await service.stop();
  const { accountId, keys, ids } = service;
  // Only the files of SQLite can be shared with the other processes of the run, and only its folder is removed at its end.
  if (engine !== "sqlite" || !basename(tmpdir()).startsWith("playtest-run-"))
    return { database, filledBy: { accountId, keys, ids } };
  writeFileSync(join(folder, "filled-by.json"), JSON.stringify({ accountId, keys, ids }));
  try {
    renameSync(folder, shared);
  } catch {
    // Another process was faster.
  }
  return readOriginal(shared);
}

function readOriginal(folder: string): Original {
  const filledBy = JSON.parse(readFileSync(join(folder, "filled-by.json"), "utf8"));
  return { database: join(folder, "demo.db"), filledBy };
}

/** Starts a service with the demo's sessions, analysed, or with the whole studio, as `server start --demo` fills it in. */
export async function startDemo(
  what: keyof typeof fills = "sessions",
  options: TestServiceOptions = {},
): Promise<TestService> {
  const original = originals.get(what) ?? fill(what);
  originals.set(what, original);
  const { database, filledBy } = await original;
  const copy = join(freshFolder(), "demo.db");
  await copyDatabase(database, copy);
  const continues = { ...filledBy, ids: { ...filledBy.ids }, clock: { now: NOW } };
  return await startTestService({ database: copy, continues, ...options });
}
