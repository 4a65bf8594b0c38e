/** A service on a real socket, with what the recorded exchanges of SDKs refer to. */
import { issueKey } from "../../../src/server/accounts/keys.ts";
import { requireExperiment } from "../../../src/server/experiments/experiment-queries.ts";
import { createExperiment, startExperiment } from "../../../src/server/experiments/lifecycle.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { requireGame } from "../../../src/server/games/game-queries.ts";
import { type ListeningServer, listen } from "../../../src/server/http/listen.ts";
import { putEventConfig } from "../../../src/server/telemetry/event-config-queries.ts";
import { ensureHandle, issueClaimToken } from "../../../src/server/testers/handles.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";

/** The SDKs whose exchanges are recorded. */
export const sdks = ["unity", "unreal", "godot", "python", "typescript"] as const;

export interface GameService {
  readonly service: TestService;
  readonly server: ListeningServer;
  /** An ingest key that is limited to the game. */
  readonly key: string;
  /** The values of placeholders, without those of one SDK. */
  readonly values: Readonly<Record<string, string>>;
  /** The claim token of each SDK. */
  readonly claimTokens: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

/** Starts the service. It has rate limits, as in production. */
export async function startGameService(): Promise<GameService> {
  const { defaultRateLimits } = await import("../../../src/server/http/rate-limits.ts");
  const service = await startTestService({ limits: defaultRateLimits });
  const { writeDb } = service.service.store;
  const gameId = await service.addGame("maze", "Maze");
  const prepared = await writeDb.transaction().execute(async (db) => {
    const game = await requireGame(db, service.accountId, gameId);
    const flags = { sdk_ignore: 1, link_to_summary: 0, hide_from_ai: 0, meaning: null, sample_rate: null };
    await putEventConfig(db, { game_id: gameId, name: "spam", ...flags });
    const fields = [{ id: "fun", label: "Was it fun?", kind: "rating-1-5" as const }];
    const form = { name: "End", fields, triggerHint: "session_end", active: true };
    const { id: formId } = await createForm(db, service.service, gameId, form);
    const { id: experimentId } = await createExperiment(db, service.service, game, {
      name: "Speed",
      variants: ["a", "b"].map((key) => ({ key, name: key, allocation: 50 })),
      config: ["a", "b"].map((variant, at) => ({ variant, key: "speed", value: at + 1 })),
      audienceId: null,
    });
    await startExperiment(db, await requireExperiment(db, service.accountId, experimentId), NOW);
    const claimTokens = new Map<string, string>();
    for (const sdk of sdks) {
      const handle = await ensureHandle(db, service.service, gameId, `${sdk}-wren`);
      claimTokens.set(sdk, await issueClaimToken(db, handle));
    }
    const key = await issueKey(db, service.accountId, "ingest", NOW, gameId);
    return { key, claimTokens, values: { game: gameId, form: formId, experiment: experimentId } };
  });
  const server = await listen(service.app, { host: "127.0.0.1", port: 0 });
  return {
    ...{ service, server },
    ...prepared,
    async stop() {
      await server.close();
      await service.stop();
    },
  };
}
