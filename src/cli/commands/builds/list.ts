/** builds list: the builds of a game, from the service or, if it has no such list, collected from sessions. */
import { ClientError } from "../../../client/errors.ts";
import type { BuildRow } from "../../../contract/build-list.ts";
import * as buildList from "../../../contract/build-list.ts";
import { compareBuildTimes, isKnownBuild } from "../../../contract/build-order.ts";
import type { Input } from "../../../contract/define.ts";
import { MAX_PAGE_SIZE } from "../../../contract/fields.ts";
import type { Session } from "../../../contract/sessions.ts";
import * as sessions from "../../../contract/sessions.ts";
import { formatCount } from "../../../render/numbers.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { integer, toggle } from "../../flags.ts";
import { createListTable, enforceMemoryLimit, readPages } from "../lists.ts";
import { toFlags } from "../resource-commands.ts";
import { type TimedSession, timesByBuild } from "./find-build.ts";

/** The default of --sessions: ten pages. */
const DEFAULT_SESSIONS_READ = 1000;

export const listBuildsCommand = command({
  path: "builds list",
  summary: "List a game's builds, the latest first",
  details:
    "Builds are sorted by the median date of their sessions. Once a game has registered builds, only these are listed, in the " +
    "order of their registration, and --registration unregistered lists the others. `latest` and `previous` use the same order. " +
    "Sessions without a version are left out; `playtest sessions list --build unknown` shows them. A session without a " +
    "device counts as its own tester. FAILED counts the sessions whose analysis failed.\n\nIf the service has no " +
    "list of builds, builds are collected from its sessions, newest first, with one request per 100 sessions: by default " +
    `${DEFAULT_SESSIONS_READ} of them. --sessions or --all reads more. The counts then cover only those sessions, and ` +
    "testers and environments are not known.",
  flags: {
    ...toFlags(buildList.buildListFilters),
    limit: integer("--limit <n>", `maximum number of builds (default: ${MAX_PAGE_SIZE})`, 1),
    offset: integer("--offset <n>", "number of builds to skip", 0),
    sessions: integer(
      "--sessions <n>",
      `number of sessions to read if the service has no list of builds (default: ${DEFAULT_SESSIONS_READ})`,
      1,
    ),
    all: toggle("--all", "return all builds"),
  },
  examples: [
    "builds list --game ember",
    "builds list --game ember --from 30d --json --jq '.items[].version'",
  ],
  async run(context, { flags: { limit, offset = 0, ...flags } }) {
    refuseWithAll(flags.all, { "--sessions": flags.sessions, "--limit": limit });
    const game = await context.requireGame();
    const selection = { game, ...flags };
    const max = limit ?? (flags.all ? Number.POSITIVE_INFINITY : MAX_PAGE_SIZE);
    try {
      return await readBuildList(context, selection, { max, offset });
    } catch (error) {
      const isListed = !(error instanceof ClientError) || error.code !== "unsupported";
      // Sessions do not say which builds are registered.
      if (isListed || flags.registration !== undefined) throw error;
      const { builds, ...counts } = await collectBuilds(context, selection);
      return await toResult(context, {
        items: builds.slice(offset, offset + max),
        hasMore: builds.length > offset + max,
        total: builds.length,
        ...counts,
      });
    }
  },
});

function refuseWithAll(all: boolean, others: Readonly<Record<string, number | undefined>>): void {
  const [given] = Object.entries(others).filter(([, value]) => value !== undefined);
  if (!all || !given) return;
  throw fail("usage", {
    message: `${given.join(" ")} cannot be used with --all`,
    hint: "Use only one of them.",
  });
}

/** Reads the list of the service, page by page. Throws `unsupported` if it has none. */
async function readBuildList(
  context: Context,
  { game, env, registration, from, to, all }: BuildSelection,
  { max, offset }: { readonly max: number; readonly offset: number },
): Promise<Result> {
  const client = await context.client(buildList, { keepAlive: max > MAX_PAGE_SIZE });
  const pages = readPages(context, { limit: max, offset, all }, (range) =>
    client.listBuilds({ game, env, registration, from, to, ...range }),
  );
  const items: buildList.BuildRow[] = [];
  let last: Partial<buildList.BuildList> = {};
  for await (const page of enforceMemoryLimit(context, pages)) {
    for (const build of page.items) items.push(build);
    last = page;
  }
  if (last.hasMore && context.settings.format.value === "table")
    await context.notify(
      `Showing ${items.length} of ${last.total} builds. Use --limit or --all to show more.`,
    );
  if (last.unregistered && context.settings.format.value === "table")
    await context.notify(
      `${formatCount(last.unregistered, "unregistered build")} not shown. Use --registration unregistered to list such builds, and \`playtest admin builds\` to adopt or hide them.`,
    );
  return await toResult(context, { ...last, items });
}

async function toResult<D extends { readonly items: readonly buildList.BuildRow[] }>(
  context: Context,
  data: D,
): Promise<Result> {
  return {
    data,
    table: await createListTable(context, data.items, toColumns(buildList.builds), "No sessions match."),
  };
}

type BuildSelection = Omit<Input<typeof buildList.listBuilds>, "limit" | "offset"> & {
  readonly sessions: number | undefined;
  readonly all: boolean;
};

/** The builds of the sessions that were read, the one played last first. */
async function collectBuilds(context: Context, selection: BuildSelection) {
  const { sessions: limit = DEFAULT_SESSIONS_READ, all, registration: _, ...filter } = selection;
  const client = await context.client(sessions, { keepAlive: true });
  const rows = new Map<string, MutableRow>();
  const times: TimedSession[] = [];
  let sessionsRead = 0;
  let sessionsTotal = 0;
  const pages = readPages(context, { limit, offset: 0, all }, (range) =>
    client.listSessions({ ...filter, ...range }),
  );
  for await (const page of enforceMemoryLimit(context, pages)) {
    for (const session of page.items) {
      countSession(rows, session);
      times.push(toTimedSession(session));
    }
    sessionsRead += page.items.length;
    sessionsTotal = page.total;
  }
  if (sessionsRead < sessionsTotal && context.settings.format.value === "table")
    await context.notify(
      `Showing the builds of the newest ${sessionsRead} of ${sessionsTotal} sessions. Use --all to read all sessions.`,
    );
  const builds: BuildRow[] = [...timesByBuild(times, context.io.now()).values()]
    .sort((a, b) => compareBuildTimes(b, a))
    .filter(isKnownBuild)
    .flatMap(({ version }) => rows.get(version) ?? []);
  return { builds, sessionsRead, sessionsTotal };
}

/** Keeps only the fields that `timesByBuild` needs, to save memory. */
function toTimedSession({ metadata, ...session }: Session): TimedSession {
  const { id, recordedAt, receivedAt, clockCorrected, deviceId } = session;
  const { gameVersion } = metadata;
  return { id, recordedAt, receivedAt, clockCorrected, deviceId, metadata: { gameVersion } };
}

type MutableRow = { -readonly [Field in keyof BuildRow]: BuildRow[Field] };

function countSession(
  builds: Map<string, MutableRow>,
  { metadata, status, recordedAt, duration }: Session,
): void {
  const version = metadata.gameVersion;
  const build = builds.get(version) ?? {
    version,
    sessionCount: 0,
    analyzedCount: 0,
    failedCount: 0,
    firstSeen: recordedAt,
    lastSeen: recordedAt,
    totalWallSec: 0,
  };
  build.sessionCount += 1;
  if (status === "analyzed") build.analyzedCount += 1;
  if (status === "failed") build.failedCount += 1;
  build.firstSeen = Math.min(build.firstSeen, recordedAt);
  build.lastSeen = Math.max(build.lastSeen, recordedAt);
  build.totalWallSec += duration;
  builds.set(version, build);
}
