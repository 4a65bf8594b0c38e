/** Global setup: provides a Postgres server, whose URL the harness reads from the environment, and removes it after the tests. */
import { dropAll, makeTemplate } from "./databases.ts";
import { startPostgres } from "./server.ts";

export default async function setup(): Promise<() => Promise<void>> {
  const server = await startPostgres();
  try {
    const template = await makeTemplate([server.url]);
    process.env.PLAYTEST_TEST_POSTGRES = server.url;
    process.env.PLAYTEST_TEST_TEMPLATE = template;
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
