/** Waits until a build has the testers that a gate needs, and all its sessions are analysed. */
import { ApiError } from "../../../contract/errors.ts";
import type { GateConfig } from "../../../gate/config.ts";
import { ruleOf } from "../../../gate/config.ts";
import type { Context } from "../../context.ts";
import { type Asked, type Found, type GateClient, lookUp, unfinishedOf } from "./look-up.ts";

/** Between two looks, ms: with four requests a look it stays well below the limit of requests a minute. */
const INTERVAL = 15_000;

export interface Awaited {
  readonly found: Found;
  /** Sessions of b that are not analysed yet. */
  readonly unfinished: number;
}

/** Looks until b is ready or `waitMs` have passed, then answers what there is. A build that is not there yet may come. */
export async function awaitBuild(
  context: Context,
  client: GateClient,
  asked: Asked,
  config: GateConfig,
  waitMs: number,
): Promise<Awaited> {
  const { io } = context;
  const until = io.now() + waitMs;
  const least = ruleOf(config, "introduced", "").minTesters;
  for (;;) {
    const left = until - io.now();
    const seen = await look(client, asked, config, left > 0);
    if (seen && seen.found.b.testers >= least && seen.unfinished === 0) return seen;
    if (seen && left <= 0) return seen;
    const state = seen
      ? `${seen.found.b.testers} of ${least} testers, ${seen.unfinished} sessions still to be analysed`
      : "not there yet";
    const line = `Waiting for ${asked.b}: ${state}; ${Math.ceil(left / 60_000)} min left`;
    await (io.err.isTTY ? context.progress(line) : context.notify(line));
    await io.sleep(Math.min(INTERVAL, left), io.signal);
  }
}

async function look(
  client: GateClient,
  asked: Asked,
  config: GateConfig,
  mayCome: boolean,
): Promise<Awaited | null> {
  try {
    const found = await lookUp(client, asked, config);
    return { found, unfinished: await unfinishedOf(client, asked) };
  } catch (error) {
    const isMissing = error instanceof ApiError && error.code === "not_found";
    if (!mayCome || !isMissing) throw error;
    // The baseline is there already or never will be.
    if (typeof asked.a === "string" && asked.a !== asked.b) {
      await client.getBuild({ game: asked.game, version: asked.a });
    }
    return null;
  }
}
