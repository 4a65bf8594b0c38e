/** admin audiences create: who an experiment may be for. */
import type { AudienceField, Predicate } from "../../../../server/experiments/audiences.ts";
import { createAudience } from "../../../../server/experiments/lifecycle.ts";
import { command, createTable } from "../../../command.ts";
import { list } from "../../../flags.ts";
import { adminFlags, administer } from "../administer.ts";
import { audienceColumns, toAudience } from "./columns.ts";

export const createAudienceCommand = command({
  path: "admin audiences create",
  summary: "Make an audience of a game",
  details:
    "Every kind of condition that is given must hold; of one that is given more than once, any value will do. The " +
    "build is the one a game client names when it asks; platform, environment and country are those of the device's " +
    "newest session, and a device without one is in no such audience.",
  args: [{ name: "<name>", describe: "what it is called" }],
  flags: {
    ...adminFlags,
    build: list("--build <version>", "players of this build; may be repeated"),
    prefix: list("--build-prefix <text>", "players of builds that begin so; may be repeated"),
    platform: list("--platform <name>", "players on this platform; may be repeated"),
    environment: list("--env <slug>", "players in this environment; may be repeated"),
    country: list("--country <code>", "players in this country, such as DE; may be repeated"),
  },
  examples: [
    "admin audiences create windows --game ember --platform windows",
    'admin audiences create "New here" --build-prefix 0.9. --country DE --country AT',
  ],
  async run(context, { args, flags }) {
    const predicates = [
      ...buildPredicates("build", "in", flags.build),
      ...buildPredicates("build", "prefix", flags.prefix),
      ...buildPredicates("platform", "in", flags.platform),
      ...buildPredicates("environment", "in", flags.environment),
      ...buildPredicates("country", "in", flags.country),
    ];
    const row = await administer(context, flags, async ({ db, service, game }) =>
      createAudience(db, service, await game(), { name: args[0] ?? "", predicates }),
    );
    const audience = toAudience(row);
    return { data: { audience }, table: createTable([audience], audienceColumns, "") };
  },
});

function buildPredicates(field: AudienceField, op: Predicate["op"], values: readonly string[]): Predicate[] {
  return values.length > 0 ? [{ field, op, values }] : [];
}
