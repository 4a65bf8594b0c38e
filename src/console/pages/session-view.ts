/** What the sections of a session's page show. */
import type { InsightWithClaims } from "../../contract/insights.ts";
import type { SessionEventPage } from "../../contract/session-events.ts";
import type { FullSession } from "../../contract/sessions.ts";
import type { PageInput } from "../page.ts";

export interface SessionView {
  readonly game: string;
  readonly session: FullSession;
  readonly insights: readonly InsightWithClaims[];
  readonly events: SessionEventPage;
  readonly page: Pick<PageInput, "path" | "search">;
}
