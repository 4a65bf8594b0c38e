/** Asks the account's model beside the rules where one is set; one that does not answer is left alone for a while. */

import type { EventConfigRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { askAboutSession, markDegraded } from "./model-analyst.ts";
import { findChatModel } from "./provider/model.ts";
import { getPauseReason, pauseModel } from "./provider/pauses.ts";
import type { RecordedSession, SessionFinding } from "./recorded-session.ts";

/** Whether there is nothing in a session that anybody could be asked about. */
function isEmpty({ events, feedback = [], transcript }: RecordedSession): boolean {
  return events.length === 0 && feedback.length === 0 && !transcript?.trim();
}

/** The rules' findings, with the model's where there is one; marked as degraded where it gave nothing. Throws ModelStopped. */
export async function addLlmFindings(
  service: Service,
  { account_id }: Pick<SessionRow, "account_id">,
  play: RecordedSession,
  found: readonly SessionFinding[],
  config: readonly EventConfigRow[],
): Promise<readonly SessionFinding[]> {
  const provider = await findChatModel(service.store.readDb, account_id);
  if (!provider || isEmpty(play)) return found;
  const paused = getPauseReason(service, account_id);
  if (paused !== null) return markDegraded(found, paused);
  const hidden = new Set(config.filter((row) => row.hide_from_ai === 1).map((row) => row.name));
  const { findings, degraded } = await askAboutSession(provider, play, found, {
    hidden,
    stop: service.stopping,
  });
  if (degraded === null) return [...found, ...findings];
  pauseModel(service, account_id, degraded);
  return markDegraded(found, degraded);
}
