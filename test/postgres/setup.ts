/** Global setup: provides a Postgres server, whose URL the tests of the project find in their environment, and removes it after them. */
import type { TestProject } from "vitest/node";
import { dropAll, makeTemplate } from "./databases.ts";
import { startPostgres } from "./server.ts";

export default async function setup({ config }: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  try {
    const template = await makeTemplate([server.url]);
    config.env ??= {};
    Object.assign(config.env, {
      PLAYTEST_TEST_POSTGRES: server.url,
      PLAYTEST_TEST_TEMPLATE: template,
    });
    return async () => {
      try {
        if (server.isGiven) await dropAll([server.url], template);
      } finally {
        await server.stop();
      }
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
