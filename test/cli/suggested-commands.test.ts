/** Tests of the commands that hints suggest: they work on what the user has selected with flags. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addSelection, repeatSelection } from "../../src/cli/suggested-commands.ts";
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

  test("also as a line of its own", () => {
    expect(repeatSelection("playtest gate 0.8.0 0.9.0", { profile: "ci", game: "ember" })).toBe(
      "playtest gate 0.8.0 0.9.0 --profile ci --game ember",
    );
  });

  test("without flags, nothing is added", () => {
    expect(addSelection("Run `playtest builds list`.", {})).toBe("Run `playtest builds list`.");
  });

  test("a flag that the command already has is not repeated", () => {
    const text = "Run `playtest login --base-url <url> --profile <name>` or `npm test`.";
    expect(addSelection(text, { profile: "ci", baseUrl: "https://studio.test", game: "ember" })).toBe(text);
  });

  test("a flag inside a quoted value is not mistaken for a flag of the command", () => {
    const text = "`playtest admin keys list --account 'it'\\'' --database x'`";
    expect(addSelection(text, { database: "studio.db" })).toBe(
      "`playtest admin keys list --account 'it'\\'' --database x' --database studio.db`",
    );
  });

  test.each(["my games.db", "$(id)", "a;b", "it's", "~/a.db", "=ls", 'say "hi" \\n', "*"])(
    "a shell reads the value %j unchanged",
    (database) => {
      const suggested = addSelection("`playtest admin keys list`", { database });
      const [, value = ""] = /--database (.*)`$/.exec(suggested) ?? [];
      expect(execFileSync("sh", ["-c", `printf %s ${value}`], { encoding: "utf8" })).toBe(database);
    },
  );

  test.each(["", "a`id`", "a\nb", "a\u001b[2J", "a\u202eb", "--yes"])(
    "a flag is left out if its value %j could not be copied",
    (game) => {
      expect(addSelection("`playtest builds list`", { game })).toBe("`playtest builds list`");
    },
  );

  test.each([
    ["postgres://me:hush@host:5432/db", " --database postgres://host:5432/db"],
    ["postgres://me@host/db?password=hush", " --database postgres://host/db"],
    ["postgres://me:hu/sh@host/db", ""],
    ["postgres://me:7/hush@host/db", ""],
    ["postgres://me:hu?sh@host/db", ""],
    ["postgres://me@host/db?password=hu@sh", ""],
    [" postgres://me:hush@host/db", ""],
    ["mail@studio?.db", " --database 'mail@studio?.db'"],
  ])("no password of the database %j is shown", (database, flag) => {
    expect(addSelection("`playtest admin keys list`", { database })).toBe(
      `\`playtest admin keys list${flag}\``,
    );
  });

  test.each([
    ["https://me:hush@studio.test/a?key=hush#hush", " --base-url https://studio.test/a"],
    ["me:hush@studio.test", " --base-url studio.test"],
    ["https://me:hu/sh@studio.test", ""],
  ])("no password of the base URL %j is shown", (baseUrl, flag) => {
    expect(addSelection("`playtest games list`", { baseUrl })).toBe(`\`playtest games list${flag}\``);
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

test("hints quote the names of profiles and games", async () => {
  const profile = await runCli(["games", "list", "--profile", "$(id) x"]);
  expect(profile.err).toContain("run `playtest login --profile '$(id) x' --base-url <url>`. ");
  const unprintable = await runCli(["games", "list", "--profile", "a`id`"]);
  expect(unprintable.err).toContain("run `playtest login --profile <name> --base-url <url>`. ");
  const { transport } = script({ body: { total: 0, limit: 1, offset: 0, items: [], hasMore: false } });
  const home = homeWith({ profiles: { default: { baseUrl: "https://studio.test" } } });
  const env = { PLAYTEST_KEY: "pt_key", PLAYTEST_GAME: "a;id" };
  const build = await runCli(["builds", "get", "latest"], { home, transport, env });
  expect(build.err).toContain("Run `playtest builds list --game 'a;id'` to see the game's builds.");
});

test("messages about URLs show no user name, password or query", async () => {
  for (const argv of [
    ["games", "list", "--base-url", "https://me:hush/hush@studio.test"],
    ["games", "list", "--base-url", "https://studio.test/?key=hush"],
    ["admin", "games", "list", "--base-url", "https://me:hush@studio.test/?key=hush"],
    ["admin", "games", "list", "--database", "mysql://me:hush/hush@db/play?password=hush"],
    ["admin", "providers", "set", "--kind", "chat", "--model", "m", "--url", "http://me:hush@[?key=hush"],
  ]) {
    const { code, err } = await runCli(argv);
    expect(code).toBeGreaterThan(0);
    expect(err).not.toContain("hush");
  }
});

describe("an admin command suggests commands on the database that it has changed", () => {
  const file = join(freshFolder(), "other studio.db");
  const admin = async (...argv: string[]) => {
    const { out, err } = await runCli(["admin", ...argv, "--database", file], { tty: true, columns: 500 });
    return out + err;
  };

  test("webhooks add", async () => {
    const shown = await admin("webhooks", "add", "https://example.com/hook", "--on", "bug-report");
    expect(shown).toMatch(
      /Run `playtest admin webhooks test whk_\w+ --database '.*other studio.db'` to send/,
    );
  });

  test("games create, in a notice", async () => {
    await admin("games", "create", "ember", "--name", "Ember");
    const shown = await admin("games", "create", "ember", "--name", "Ashes");
    expect(shown).toMatch(/use `playtest admin games rename --database '.*other studio.db'`/);
  });
});
