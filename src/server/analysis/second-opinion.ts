/** Asks the account's model beside the rules where one is set; one that does not answer is left alone for a while. */
import type { EventConfigRow, SessionRow } from "../db/schema.ts";
import { findProvider } from "../queries/providers.ts";
import type { Service } from "../service.ts";
import { askAboutSession, markDegraded } from "./model-analyst.ts";
import type { Finding, SessionPlay } from "./play.ts";
import type { FaultReason } from "./provider/provider.ts";

/** How long a model that did not answer is not asked again, ms: a queue of sessions must not wait for each in turn. */
export const PAUSE_MS = 60_000;

const lasting: ReadonlySet<FaultReason> = new Set(["unavailable", "timeout", "refused"]);

/** By service and account, until when no model is asked, and why. */
const pauses = new WeakMap<Service, Map<string, { until: number; reason: FaultReason }>>();

/** The rules' findings, with the model's where there is one; marked as degraded where it gave nothing. */
export async function withSecondOpinion(
  service: Service,
  { account_id }: Pick<SessionRow, "account_id">,
  play: SessionPlay,
  found: readonly Finding[],
  config: readonly EventConfigRow[],
): Promise<readonly Finding[]> {
  const provider = await findProvider(service.store.read, account_id, "chat");
  if (!provider || found.length === 0) return found;
  const paused = pauses.get(service) ?? new Map<string, { until: number; reason: FaultReason }>();
  pauses.set(service, paused);
  const pause = paused.get(account_id);
  if (pause && service.now() < pause.until) return markDegraded(found, pause.reason);
  const hidden = new Set(config.filter((row) => row.hide_from_ai === 1).map((row) => row.name));
  const { findings, degraded } = await askAboutSession(provider, play, found, hidden);
  if (degraded === null) return [...found, ...findings];
  if (lasting.has(degraded)) paused.set(account_id, { until: service.now() + PAUSE_MS, reason: degraded });
  return markDegraded(found, degraded);
}
