/** Global setup: makes the template of the test databases on the Citus cluster of TEST_CITUS_URLS, and drops it after the tests. */
import type { TestProject } from "vitest/node";
import { dropAll, makeTemplate } from "../postgres/databases.ts";

const HOW = `Set TEST_CITUS_URLS to the URLs of a coordinator and its workers, separated by commas, for example
TEST_CITUS_URLS=postgres://postgres@127.0.0.1:6550/postgres,postgres://postgres@127.0.0.1:6551/postgres,postgres://postgres@127.0.0.1:6552/postgres
The user must be a superuser who can connect from the coordinator to the workers without a password. The tests create their
own databases, so max_worker_processes must be about 100 on each node, and max_prepared_transactions at least 200.`;

export default async function setup({ config }: TestProject): Promise<() => Promise<void>> {
  const nodes = (process.env.TEST_CITUS_URLS ?? "").split(",").filter((url) => url !== "");
  if (nodes.length < 2) throw new Error(HOW);
  const template = await makeTemplate(nodes);
  config.env ??= {};
  Object.assign(config.env, {
    PLAYTEST_TEST_POSTGRES: nodes.join(","),
    PLAYTEST_TEST_TEMPLATE: template,
  });
  return () => dropAll(nodes, template);
}
