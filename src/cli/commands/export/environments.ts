/** Warns of --env of an export, if no session of the games is in the environment. */
import type { Game } from "../../../contract/games.ts";
import type { ExportReader } from "../../../export/reader.ts";
import type { Context } from "../../context.ts";
import { readSuggestedNames } from "../../known-names.ts";
import { describeUnknown } from "../../unknown-names.ts";

interface ExportScope {
  readonly games: readonly Game[];
  readonly environments: readonly string[];
}

/** A warning for each environment without sessions. Its first sessions may still arrive, so the export continues. */
export async function findEmptyEnvironments(
  context: Context,
  reader: ExportReader,
  { games, environments }: ExportScope,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const env of environments) {
    if (games.length === 0 || (await hasSessions(reader, games, env))) continue;
    const suggestion = await suggestEnvironment(context, games, env);
    const where = games.map(({ slug }) => slug).join(", ");
    warnings.push(`Warning: no session of ${where} is in environment ${JSON.stringify(env)}.${suggestion}`);
  }
  return warnings;
}

async function hasSessions(reader: ExportReader, games: readonly Game[], env: string): Promise<boolean> {
  for (const { slug: game } of games) {
    const { total } = await reader.send(() => reader.client.listSessions({ game, env, limit: 1 }));
    if (total > 0) return true;
  }
  return false;
}

/** A sentence after a space; empty if the environments cannot be listed. */
async function suggestEnvironment(context: Context, games: readonly Game[], env: string): Promise<string> {
  const known = await readSuggestedNames(context, "environment", games[0]?.slug);
  const suggestion = describeUnknown("environment", env, known);
  return suggestion === null ? "" : ` ${suggestion}`;
}
