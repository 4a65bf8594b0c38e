/** The `admin audiences` commands: the players that experiments are limited to. */
import { defineColumns } from "../../../render/tables/columns.ts";
import type { AudienceRow } from "../../../server/db/schema.ts";
import {
  type AudienceField,
  type Predicate,
  parsePredicates,
} from "../../../server/experiments/audiences.ts";
import { findAudiences } from "../../../server/experiments/experiment-queries.ts";
import { createAudience } from "../../../server/experiments/lifecycle.ts";
import { command, createTable } from "../../command.ts";
import { countries, list } from "../../flags.ts";
import { adminFlags, administer } from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";

/** An audience in the output of commands. `createdAt` is in unix ms. */
function toAudience(row: AudienceRow) {
  const { id, name, game_id: gameId, created_at: createdAt } = row;
  return { id, gameId, name, predicates: parsePredicates(row.predicates), createdAt };
}

const audienceColumns = defineColumns<ReturnType<typeof toAudience>>({
  id: { header: "ID", tone: "strong" },
  name: { header: "NAME", shrink: 2 },
  predicates: { header: "CONDITION", value: ({ predicates }) => describePredicates(predicates), shrink: 1 },
  createdAt: { header: "CREATED", kind: "time" },
});

/** The conditions in words: fields are joined with "and", the values of one field with "or". */
function describePredicates(predicates: readonly Predicate[]): string {
  const byField = new Map<string, string[]>();
  for (const { field, op, values } of predicates) {
    const words = values.map((value) => (op === "in" ? value : `${value}*`));
    byField.set(field, [...(byField.get(field) ?? []), ...words]);
  }
  const joinWords = (words: readonly string[]) =>
    words.length > 1 ? `(${words.join(" or ")})` : words.join("");
  return [...byField].map(([field, words]) => `${field} ${joinWords(words)}`).join(" and ");
}

export const createAudienceCommand = command({
  path: "admin audiences create",
  summary: "Create an audience: the players that an experiment is limited to",
  details:
    "To use the audience, pass its id to `playtest admin experiments create --audience`. A device must match every flag that you use. If you repeat a flag, " +
    "one of its values must match. --build and --build-prefix count as one flag: a build that matches any of their values is enough. The build comes from the request of the game client. Platform, environment and " +
    "country come from the device's newest session; a device without sessions does not match these " +
    "conditions.",
  args: [{ name: "<name>", describe: "audience name" }],
  flags: {
    ...adminFlags,
    build: list("--build <version>", "players on this build (repeatable)"),
    prefix: list("--build-prefix <text>", "players on builds that start with this text (repeatable)"),
    platform: list("--platform <name>", "players on this platform (repeatable)"),
    environment: list("--env <slug>", "players in this environment (repeatable)"),
    country: countries(
      "--country <code>",
      "players in this country (ISO 3166 alpha-2, such as DE; repeatable)",
    ),
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
    const row = await administer(context, flags, async ({ db, service, target, game }) =>
      target(await createAudience(db, service, await game(), { name: args[0] ?? "", predicates })),
    );
    const audience = toAudience(row);
    return { data: { audience }, table: createTable([audience], audienceColumns, "") };
  },
});

function buildPredicates(field: AudienceField, op: Predicate["op"], values: readonly string[]): Predicate[] {
  return values.length > 0 ? [{ field, op, values }] : [];
}

export const listAudiencesCommand = createAdminListCommand({
  path: "admin audiences list",
  summary: "List a game's audiences, newest first",
  examples: ["admin audiences list --game ember"],
  field: "audiences",
  columns: audienceColumns,
  empty: "No audiences yet.",
  read: async ({ db, game }) => (await findAudiences(db, (await game()).id)).map(toAudience),
});
