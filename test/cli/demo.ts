/** Services that hold the demo studio: it is filled in once a process, and each service gets a copy of its database. */
import { join } from "node:path";
import { seedSessions } from "../../src/cli/commands/server/demo-sessions.ts";
import { seedDemo } from "../../src/cli/commands/server/seed.ts";
import {
  copyDatabase,
  freshFolder,
  NOW,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../harness.ts";

/** A filled database that nobody has open, and the stopped service that filled it. */
interface Original {
  readonly database: string;
  readonly filledBy: TestService;
}

const fills = { sessions: seedSessions, studio: seedDemo };
const originals = new Map<keyof typeof fills, Promise<Original>>();

async function fill(what: keyof typeof fills): Promise<Original> {
  const database = join(freshFolder(), "demo.db");
  const service = await startTestService({ database });
  await fills[what]({ ...service, database });
  await service.analysis.drain();
  await service.stop();
  return { database, filledBy: service };
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
  const continues = { ...filledBy, ids: { ...filledBy.ids } };
  return await startTestService({ database: copy, continues, clock: { now: NOW }, ...options });
}
