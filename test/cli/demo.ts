/** A service that holds the demo studio's play, analysed, and one that holds a few sessions told by hand. */
import { seedPlay } from "../../src/cli/commands/server/demo-play.ts";
import { startTestService, type TestService } from "../harness.ts";

/** Starts a service with the demo studio in it. */
export async function startDemo(): Promise<TestService> {
  const service = await startTestService();
  await seedPlay({ ...service, database: ":memory:" });
  await service.analysis.settle();
  return service;
}
