/** Tests of the commands that hints suggest: they work on what the user has selected with flags. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addSelection } from "../../src/cli/suggested-commands.ts";
import { script } from "../client/script.ts";
import { freshFolder, runCli } from "../harness.ts";
import { homeWith } from "./config-homes.ts";

const everything = {
  ...{ profile: "ci", baseUrl: "http://studio.test", allowHttp: true },
  ...{ game: "ember", database: "studio.db", account: "studio" },
};

describe("a suggested command repeats the flags that it depends on", () => {
  test.each([
    ["builds list", "--profile ci --base-url http://studio.test --allow-http --game ember"],
    ["games list", "--profile ci --base-url http://studio.test --allow-http"],
    ["login --ingest", "--profile ci --base-url http://studio.test --allow-http"],
    ["config set", "--profile ci"],
    ["profiles", ""],
    ["gate init", ""],
    ["gate previous latest", "--profile ci --base-url http://studio.test --allow-http --game ember"],
    ["admin forms list", "--profile ci --game ember --database studio.db --account studio"],
    ["admin games list", "--database studio.db --account studio"],
    ["admin accounts list", "--database studio.db"],
    ["server start", "--database studio.db"],
    ["server status", ""],
    ["sessions list --help", ""],
  ])("%s", (command, flags) => {
    const suggested = addSelection(`Run \`playtest ${command}\` to see it.`, everything);
    expect(suggested).toBe(`Run \`playtest ${[command, flags].join(" ").trim()}\` to see it.`);
  });

  test("without flags, nothing is added", () => {
    expect(addSelection("Run `playtest builds list`.", {})).toBe("Run `playtest builds list`.");
  });

  test("a flag that the command already has is not repeated", () => {
    const text = "Run `playtest login --base-url <url> --profile <name>` or `npm test`.";
    expect(addSelection(text, { profile: "ci", baseUrl: "https://studio.test", game: "ember" })).toBe(text);
  });

  test("values are quoted if a shell would split them, and passwords are left out", () => {
    expect(addSelection("`playtest admin keys list`", { database: "my games.db" })).toBe(
      '`playtest admin keys list --database "my games.db"`',
    );
    expect(addSelection("`playtest admin keys list`", { database: "postgres://me:hush@host:5432/db" })).toBe(
      "`playtest admin keys list --database postgres://me@host:5432/db`",
    );
  });
});

test("doctor repeats the profile in its fixes", async () => {
  const home = homeWith({ profiles: { ci: { baseUrl: "https://studio.test" } } });
  const { transport } = script({ status: 401, body: { error: "Missing bearer token" } });
  const { out } = await runCli(["doctor", "--profile", "ci", "--json"], { home, transport });
  const { checks } = JSON.parse(out) as { checks: { name: string; hint: string | null }[] };
  expect(checks.find(({ name }) => name === "management key")?.hint).toBe(
    "Run `playtest login --base-url https://studio.test --profile ci` or set PLAYTEST_KEY.",
  );
});

test("errors and notices of admin commands repeat the game and the database", async () => {
  const home = freshFolder();
  const database = join(home, "studio.db");
  const run = (...argv: string[]) => runCli(["admin", ...argv, "--database", database], { home });
  await run("accounts", "create", "studio");
  expect((await run("games", "list")).err).toBe(
    `No games yet. Run \`playtest admin games create <slug> --database ${database}\` to create one.\n`,
  );
  await run("games", "create", "ember");
  const unknown = await run("forms", "set", "form_1", "--game", "ember", "--active", "on", "--json");
  const hint = `Run \`playtest admin forms list --game ember --database ${database}\` to list forms.`;
  expect(unknown.err).toContain(`hint: ${hint}\n`);
  expect(JSON.parse(unknown.err.trimEnd().split("\n").at(-1) ?? "").error.hint).toBe(hint);
  const batch = await run("batches", "redeem", "ptb_0", "--game", "ember");
  expect(batch.err).toContain("hint: Run `playtest batches list --game ember` to list batches.\n");
});
