/** status: what happened in the playtest, in one answer. */
import { DEFAULT_ENV } from "../../../contract/fields.ts";
import * as games from "../../../contract/games.ts";
import type { Status } from "../../../contract/status.ts";
import { answerStatus, gamesView, statusView } from "../../../render/status/text.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { ADOPT_COMMAND } from "../../../shared/build-words.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { inEnvironment } from "../../default-environment.ts";
import { text } from "../../flags.ts";
import { formatFlag, repeatSelection, type SelectionFlags } from "../../suggested-commands.ts";
import { translateError } from "../../translate-error.ts";
import { readStatus, type StatusQuery, statusEndpoints } from "./read-status.ts";

const columns = defineColumns<Status>({
  "game.slug": { header: "GAME" },
  "build.version": { header: "BUILD" },
  "verdict.answer": { header: "ANSWER", value: (status) => answerStatus(status), shrink: 1 },
  "build.testers": { header: "TESTERS" },
});

const statusCommand = command({
  path: "status",
  summary: "Show what happened in the latest build of a game",
  details:
    "The answer compares the build with the one before it. Below it are the problems to fix first with sessions that show " +
    "them, and the numbers of the build. Without a game, there is one line for each game.",
  flags: {
    build: text("--build <version>", "build version, `latest` or `previous` (default: latest)"),
    env: text("--env <slug>", "environment, or `all` (default: production)"),
  },
  examples: ["status --game ember", "status --game ember --build previous"],
  async run(context, { flags: { build, env } }) {
    const game = (await context.findGame())?.value ?? (await findOnlyGame(context));
    if (game === null) return await showGames(context, build, env);
    const data = await readGame(context, { game, build, env });
    return {
      data,
      table: createTable([data], columns, ""),
      view: (options) => statusView(data, nextCommand(data, build, context.selection), options),
    };
  },
});

async function readGame(context: Context, query: StatusQuery): Promise<Status> {
  const client = await context.client(statusEndpoints, { keepAlive: true });
  return await inEnvironment(
    context,
    query.env,
    (env) => readStatus(context, client, { ...query, env }),
    (status) => status.build === null,
    query.game,
  );
}

/** The only game that the key can read; null if there are several. */
async function findOnlyGame(context: Context): Promise<string | null> {
  const client = await context.client(games);
  const [first, ...others] = (await client.listGames()).games;
  return others.length === 0 ? (first?.slug ?? null) : null;
}

async function showGames(
  context: Context,
  build: string | undefined,
  env: string | undefined,
): Promise<Result> {
  if (build !== undefined) await context.requireGame();
  const client = await context.client(games);
  const statuses: Status[] = [];
  for (const { slug } of (await client.listGames()).games) {
    await context.progress(`Reading ${slug}`);
    const status = await readGame(context, { game: slug, build, env }).catch((error: unknown) => {
      // Other games may have the environment.
      if (env !== undefined && translateError(error)?.code === "not_found") return null;
      throw error;
    });
    if (status !== null) statuses.push(status);
  }
  return {
    data: statuses,
    items: statuses,
    table: createTable(statuses, columns, "No game was played there."),
    view: (options) => gamesView(statuses, options),
  };
}

/** The command to run next, about the same build and environment. `named` is the build if it is not the latest. */
function nextCommand(
  { game, environment, build, noBuild, fixFirst }: Status,
  named: string | undefined,
  selection: SelectionFlags,
): string | null {
  if (noBuild) return `Adopt a build: ${ADOPT_COMMAND}${formatFlag("--game", game.slug)}`;
  if (build === null) return null;
  const scope = [
    formatFlag("--game", game.slug),
    named === undefined ? "" : formatFlag("--build", build.version),
    environment === DEFAULT_ENV ? "" : formatFlag("--env", environment),
  ].join("");
  return fixFirst.length === 0
    ? `Sessions: ${repeatSelection(`playtest sessions list${scope}`, selection)}`
    : `All problems: ${repeatSelection(`playtest insights list --by tag${scope}`, selection)}`;
}

export const commands = [statusCommand];
