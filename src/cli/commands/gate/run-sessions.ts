/** The sessions of scripted runs: ends those that a run left open, and waits for their analysis. */
import type { AnnouncingClient } from "../../../client/client.ts";
import * as sessions from "../../../contract/sessions.ts";
import { sendTelemetry } from "../../../contract/telemetry.ts";
import { formatCount } from "../../../render/numbers.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import type { Context } from "../../context.ts";
import { readPages } from "../lists.ts";
import { addCounts } from "../telemetry/expectations.ts";

export const RUN_ENVIRONMENT = "ci";

/** How much the clock of the service may be behind, ms. */
const MAX_CLOCK_LAG_MS = DAY_MS;
/** Time between two looks at the service, ms. */
const POLL_MS = 2000;

interface RunSelection {
  readonly game: string;
  readonly build: string;
  /** The device id of each run. */
  readonly devices: readonly string[];
  /** When the first run started, unix ms. */
  readonly since: number;
  readonly waitMs: number;
}

export interface RunTelemetry {
  /** The number of events by name of each run, in the order of the devices; null if a run sent no session. */
  readonly counts: readonly (ReadonlyMap<string, number> | null)[];
  /** Why a run may have no session; null if each has one, or the reason is not known. */
  readonly reason: string | null;
}

type SessionClient = AnnouncingClient<Pick<typeof sessions, "listSessions" | "getSession">>;

/** Waits until the sessions of all runs are analyzed, or the time is up. The processes of the runs must have ended. */
export async function readRunTelemetry(context: Context, selection: RunSelection): Promise<RunTelemetry> {
  const { build, devices, since } = selection;
  const client: SessionClient = await context.client(sessions, { keepAlive: true });
  const all = await waitForAnalysis(context, client, selection);
  const isOwn = ({ deviceId }: sessions.Session) => devices.includes(deviceId ?? "");
  const byDevice = await countByDevice(context, client, all.filter(isOwn));
  const counts = devices.map((device) => byDevice.get(device) ?? null);
  if (!counts.includes(null)) return { counts, reason: null };
  const everywhere = await listRecent(context, client, selection, {});
  const stray = everywhere.find(
    (session) =>
      isOwn(session) && (session.metadata.gameVersion !== build || session.environment !== RUN_ENVIRONMENT),
  );
  const others = all.filter((session) => !isOwn(session) && (session.receivedAt ?? 0) >= since).length;
  return { counts, reason: explainMissing(stray, others) };
}

/** Returns the sessions of the build, also those of earlier runs. */
async function waitForAnalysis(
  context: Context,
  client: SessionClient,
  selection: RunSelection,
): Promise<sessions.SessionItem[]> {
  const { io } = context;
  const { game, build, devices, waitMs } = selection;
  const ingest = await context.client({ sendTelemetry }, { key: "ingest" });
  const deadline = io.monotonicNow() + waitMs;
  const ended = new Set<string>();
  for (;;) {
    const all = await listRecent(context, client, selection, { build, env: RUN_ENVIRONMENT });
    const waiting = all.filter(
      ({ deviceId, status }) =>
        devices.includes(deviceId ?? "") && status !== "analyzed" && status !== "failed",
    );
    for (const { id: sessionId } of waiting) {
      if (ended.has(sessionId)) continue;
      ended.add(sessionId);
      // If the game crashed or was killed, nothing else ends its session for half an hour.
      await ingest.sendTelemetry({ body: { gameId: game, sessionId, sessionEnded: true, events: [] } });
    }
    if (waiting.length === 0 || io.monotonicNow() + POLL_MS > deadline) return all;
    await context.progress(`Waiting for the analysis of ${formatCount(waiting.length, "session")}`);
    await io.sleep(POLL_MS, io.signal);
  }
}

async function listRecent(
  context: Context,
  client: SessionClient,
  { game, since }: RunSelection,
  filter: { readonly build?: string; readonly env?: string },
): Promise<sessions.SessionItem[]> {
  const from = Math.max(0, since - MAX_CLOCK_LAG_MS);
  const found: sessions.SessionItem[] = [];
  const pages = readPages(context, { all: true, limit: undefined, offset: undefined }, (page) =>
    client.listSessions({ game, from, ...filter, ...page }),
  );
  for await (const { items } of pages) found.push(...items);
  return found;
}

async function countByDevice(
  context: Context,
  client: SessionClient,
  own: readonly sessions.SessionItem[],
): Promise<Map<string, Map<string, number>>> {
  const byDevice = new Map<string, Map<string, number>>();
  const pacer = context.pacer();
  for (const { id, deviceId } of own) {
    const counts = byDevice.get(deviceId ?? "") ?? new Map<string, number>();
    byDevice.set(deviceId ?? "", counts);
    await pacer.before();
    addCounts(counts, (await client.getSession({ id })).session.event_counts ?? {});
  }
  return byDevice;
}

/** Which variable of the environment the game ignored; null if that is not known. */
function explainMissing(stray: sessions.Session | undefined, others: number): string | null {
  if (stray !== undefined) {
    const { environment, metadata } = stray;
    return `A run sent build ${metadata.gameVersion} in ${environment}: the game ignores PLAYTEST_BUILD or PLAYTEST_ENVIRONMENT.`;
  }
  if (others === 0) return null;
  return `${formatCount(others, "session")} of the build came from other devices: the game ignores PLAYTEST_DEVICE_ID, so its runs cannot be recognized.`;
}
