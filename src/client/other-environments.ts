/** Finds the environments that a game was played in instead of production. */
import { DEFAULT_ENV, MAX_PAGE_SIZE } from "../contract/fields.ts";
import type { Session } from "../contract/sessions.ts";

interface SessionLister {
  listSessions(input: {
    readonly game: string;
    readonly env?: string;
    readonly limit: number;
  }): Promise<{ readonly total: number; readonly items: readonly Pick<Session, "environment">[] }>;
}

/** The environments of the newest sessions, in alphabetical order; empty if production has sessions. */
export async function listOtherEnvironments(client: SessionLister, game: string): Promise<string[]> {
  const { total } = await client.listSessions({ game, env: DEFAULT_ENV, limit: 1 });
  if (total > 0) return [];
  const { items } = await client.listSessions({ game, limit: MAX_PAGE_SIZE });
  return [...new Set(items.flatMap(({ environment }) => environment ?? []))].sort();
}
