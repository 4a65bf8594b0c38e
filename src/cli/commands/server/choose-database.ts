/** Chooses the database of commands that work next to a running server, so that they do not open another one by mistake. */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSqliteFile } from "../../../server/db/sqlite-copy.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { databasePath, isMissingFile } from "./local.ts";
import { isSameDatabase, runningServers, type ServerEntry } from "./registry.ts";

const IN_MEMORY = ":memory:";

/**
 * The database of the --database flag; without it, that of the running server, or the default one if no server is running.
 * Reports a choice that is not obvious on stderr. Throws `config` if the servers of several databases are running.
 */
export async function chooseDatabase(context: Context, flag: string | undefined): Promise<string> {
  const { io } = context;
  const standard = databasePath(io, flag);
  if (flag !== undefined) return standard;
  const servers = await runningServers(io);
  const databases = [...new Set(servers.map(({ database }) => database))];
  if (databases.length === 0 || databases.some((database) => isSameDatabase(database, standard)))
    return standard;
  const stored = databases.filter((database) => database !== IN_MEMORY);
  if (stored.length > 1) throw severalDatabases(stored);
  const server = servers.find(({ database }) => database !== IN_MEMORY);
  if (server) return await useServerDatabase(context, server);
  if (!isMissingFile(standard)) {
    const [{ url } = { url: "" }] = servers;
    await context.notify(
      `Using the database ${standard}. The server at ${url} has a temporary database, which other commands cannot open.`,
    );
  }
  return standard;
}

async function useServerDatabase(context: Context, server: ServerEntry): Promise<string> {
  const { url, database, isRedacted = false } = server;
  if (isRedacted) {
    throw fail("config", {
      message: `The server at ${url} uses the database ${database}, whose password is not stored`,
      hint: "Specify the database with --database and the URL that the server was started with.",
    });
  }
  await context.notify(`Using the database ${database} of the server at ${url}.`);
  return database;
}

function severalDatabases(databases: readonly string[]): Error {
  return fail("config", {
    message: `The running servers use several databases: ${databases.join(", ")}`,
    hint: "Specify one of them with --database.",
  });
}

/** Throws `config` for a database file that does not exist, with the databases that may have been meant. */
export async function requireDatabase(io: Pick<Io, "stateDir" | "isAlive">, database: string): Promise<void> {
  if (!isMissingFile(database)) return;
  const served = (await runningServers(io)).map((server) => server.database);
  const others = [...new Set([...findDatabases(dirname(database)), ...served])].filter(
    (other) => other !== IN_MEMORY,
  );
  const suggestion =
    others.length === 0
      ? "Specify an existing database with --database, or run `playtest server start` to create one."
      : `Specify one with --database. Found: ${others.join(", ")}.`;
  throw fail("config", { message: `Database ${JSON.stringify(database)} not found`, hint: suggestion });
}

const MAX_SUGGESTIONS = 5;

/** The first SQLite databases in a folder, by name. */
function findDatabases(folder: string): string[] {
  const found: string[] = [];
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      if (found.length === MAX_SUGGESTIONS) break;
      const path = join(folder, entry.name);
      if (entry.isFile() && isSqliteFile(path)) found.push(path);
    }
  } catch {
    // A folder that does not exist or cannot be read has no databases to suggest.
  }
  return found;
}
