/** builds list: the builds of a game, collected from its sessions. */
import type { Session } from "../../../contract/sessions.ts";
import * as sessions from "../../../contract/sessions.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { integer, text, time, toggle } from "../../flags.ts";
import { durationColumn, textColumn, timeColumn } from "../columns.ts";
import { enforceMemoryLimit, readPages } from "../gather.ts";
import { compareBuildTimes, type TimedSession, timesByBuild } from "./build-times.ts";

/** The default of --sessions: ten pages. */
const DEFAULT_SESSIONS_READ = 1000;

/** The totals of one build over the sessions that were read. */
interface BuildRow {
  readonly version: string;
  sessionCount: number;
  analyzedCount: number;
  failedCount: number;
  /** Unix ms, of the sessions read. */
  firstSeen: number;
  lastSeen: number;
  /** Sum of the sessions' wall times, seconds. */
  totalWallSec: number;
}

const columns: readonly TableColumn<BuildRow>[] = [
  { ...textColumn<BuildRow>("version", "BUILD", (build) => build.version, 1), style: "strong" },
  textColumn("sessionCount", "SESSIONS", (build) => build.sessionCount),
  textColumn("analyzedCount", "ANALYZED", (build) => build.analyzedCount),
  {
    ...textColumn<BuildRow>("failedCount", "ANALYSIS FAILED", (build) => build.failedCount),
    style: (build) => (build.failedCount > 0 ? "bad" : null),
  },
  durationColumn("totalWallSec", "PLAY TIME", (build) => build.totalWallSec),
  timeColumn("firstSeen", "FIRST SEEN", (build) => build.firstSeen),
  timeColumn("lastSeen", "LAST SEEN", (build) => build.lastSeen),
];

export const listBuildsCommand = command({
  path: "builds list",
  summary: "List a game's builds, newest first",
  details:
    "The API has no list of builds, so this command collects them from the game's sessions, newest first, " +
    `with one request per 100 sessions. By default it reads ${DEFAULT_SESSIONS_READ} sessions; use ` +
    "--sessions or --all to read more. The counts cover only the sessions that were read. For a build's full " +
    "counts, run `playtest builds get`. Builds are sorted by the median date of their sessions. `latest` and " +
    "`previous` use the same order. Sessions without a build are listed last, as `unknown`, which `latest` and " +
    "`previous` never select.",
  args: [],
  flags: {
    env: text("--env <slug>", "environment (default: all environments combined)"),
    from: time("--from <time>", "sessions recorded at or after"),
    to: time("--to <time>", "sessions recorded at or before"),
    sessions: integer(
      "--sessions <n>",
      `number of sessions to read (default: ${DEFAULT_SESSIONS_READ})`,
      1,
      Number.MAX_SAFE_INTEGER,
    ),
    all: toggle("--all", "read all sessions"),
  },
  examples: [
    "builds list --game ember",
    "builds list --game ember --from 30d --json --jq '.builds[].version'",
  ],
  async run(context, { flags }) {
    const { sessions: limit = DEFAULT_SESSIONS_READ, all, ...filter } = flags;
    if (all && flags.sessions !== undefined) {
      throw fail("usage", {
        message: `--sessions ${limit} cannot be used with --all`,
        hint: "Use only one of them.",
      });
    }
    const client = await context.client(sessions, { keepAlive: true });
    const game = await context.requireGame();
    const rows = new Map<string, BuildRow>();
    const times: TimedSession[] = [];
    let read = 0;
    let total = 0;
    const pages = readPages(context, { limit, offset: 0, all }, (range) =>
      client.listSessions({ ...filter, game, ...range }),
    );
    for await (const page of enforceMemoryLimit(context, pages)) {
      for (const session of page.items) {
        countSession(rows, session);
        times.push(toTimedSession(session));
      }
      read += page.items.length;
      total = page.total;
    }
    const builds = [...timesByBuild(times, context.io.now()).values()]
      .sort((a, b) => compareBuildTimes(b, a))
      .flatMap(({ version }) => rows.get(version) ?? []);
    if (read < total && context.settings.format.value === "table") {
      await context.notify(
        `Showing the builds of the newest ${read} of ${total} sessions. Use --all to read all sessions.`,
      );
    }
    return {
      data: { builds, sessionsRead: read, sessionsTotal: total },
      table: createTable(builds, columns, "No sessions match."),
    };
  },
});

/** Keeps only the fields that decide the order of builds, to save memory. */
function toTimedSession({ id, recordedAt, receivedAt, clockCorrected, metadata }: Session): TimedSession {
  return { id, recordedAt, receivedAt, clockCorrected, metadata: { gameVersion: metadata.gameVersion } };
}

/** Adds a session to its build. */
function countSession(
  builds: Map<string, BuildRow>,
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
