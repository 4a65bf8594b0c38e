/** Services that hold the demo studio: it is filled in once a run, and each service gets a copy of its database. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
import { shareFolder } from "../shared-folder.ts";

/** A filled database that nobody has open, and what is known of the stopped service that filled it. */
interface Original {
  readonly database: string;
  readonly filledBy: Pick<TestService, "accountId" | "keys" | "ids">;
}

const fills = { sessions: seedSessions, studio: seedDemo };
const originals = new Map<keyof typeof fills, Promise<Original>>();

async function fill(what: keyof typeof fills): Promise<Original> {
  const fillFolder = async (folder: string) => {
    const database = join(folder, "demo.db");
    const service = await startTestService({ database });
    await fills[what]({ ...service, database });
    await service.analysis.drain();
    await service.stop();
    const { accountId, keys, ids } = service;
    writeFileSync(join(folder, "filled-by.json"), JSON.stringify({ accountId, keys, ids }));
  };
  // The name of a database of another engine is only known to the process that filled it in.
  if (engine === "sqlite") return readOriginal(await shareFolder(`demo-${what}`, fillFolder));
  const folder = freshFolder();
  await fillFolder(folder);
  return readOriginal(folder);
}

function readOriginal(folder: string): Original {
  const filledBy = JSON.parse(readFileSync(join(folder, "filled-by.json"), "utf8"));
  return { database: join(folder, "demo.db"), filledBy };
}

/** A copy of the database, and what is known of the service that filled it in. */
export async function copyDemo(what: keyof typeof fills): Promise<Original> {
  const original = originals.get(what) ?? fill(what);
  originals.set(what, original);
  const { database, filledBy } = await original;
  const copy = join(freshFolder(), "demo.db");
  await copyDatabase(database, copy);
  return { database: copy, filledBy };
}

/** Starts a service with the demo's sessions, analysed, or with the whole studio, as `server start --demo` fills it in. */
export async function startDemo(
  what: keyof typeof fills = "sessions",
  options: TestServiceOptions = {},
): Promise<TestService> {
  const { database, filledBy } = await copyDemo(what);
  const continues = { ...filledBy, ids: { ...filledBy.ids }, clock: { now: NOW } };
  return await startTestService({ database, continues, ...options });
}
