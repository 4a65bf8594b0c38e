/** Quarantines and releases sessions of the game `ember`, as tests of quarantine do. */
import { requireGame } from "../../../src/server/games/game-queries.ts";
import { moveSessions } from "../../../src/server/quarantine/quarantine.ts";
import type { QuarantineFilter } from "../../../src/server/quarantine/quarantine-queries.ts";
import type { TestService } from "../../harness.ts";

export const requireEmber = ({ service, accountId }: TestService) =>
  requireGame(service.store.readDb, accountId, "ember");

/** Returns the number of sessions that were quarantined or released. */
export async function move(
  service: TestService,
  filter: QuarantineFilter,
  isRelease = false,
): Promise<number> {
  return await moveSessions(service.service, {
    gameId: (await requireEmber(service)).id,
    filter,
    quarantine: isRelease ? null : { id: "qua_1", at: service.clock.now },
    onFirst: async () => {},
    onStep: async () => {},
  });
}
