/**
 * Adds the findings of the account's AI model, if one is configured. A model that does not respond is paused
 * temporarily.
 */

import type { EventConfigRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { askAboutSession, markDegraded } from "./model-analyst.ts";
import { findChatModel } from "./provider/model.ts";
import { getPauseReason, pauseModel } from "./provider/pauses.ts";
import type { RecordedSession, SessionFinding } from "./recorded-session.ts";

/** Whether a session has no events, answers or transcript to analyze. */
function isEmpty({ events, feedback = [], transcript }: RecordedSession): boolean {
  return events.length === 0 && feedback.length === 0 && !transcript?.trim();
}

/**
 * The rules' findings plus those of the model, if there is one. If the model fails, the summary is marked as degraded.
 * Throws ModelStopped when the service stops.
 */
export async function addLlmFindings(
  service: Service,
  { account_id }: Pick<SessionRow, "account_id">,
  session: RecordedSession,
  ruleFindings: readonly SessionFinding[],
  config: readonly EventConfigRow[],
): Promise<readonly SessionFinding[]> {
  const provider = await findChatModel(service.store.readDb, account_id);
  if (!provider || isEmpty(session)) return ruleFindings;
  const paused = getPauseReason(service, account_id);
  if (paused !== null) return markDegraded(ruleFindings, paused);
  const hidden = new Set(config.filter((row) => row.hide_from_ai === 1).map((row) => row.name));
  const { findings, degraded } = await askAboutSession(provider, session, ruleFindings, {
    hidden,
    stop: service.stopping,
  });
  if (degraded === null) return [...ruleFindings, ...findings];
  pauseModel(service, account_id, degraded);
  return markDegraded(ruleFindings, degraded);
}
