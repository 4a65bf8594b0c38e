/** Tests of admin providers: models are set, listed and removed, and keys are never shown. */
import { expect, test } from "vitest";
import { findFirstAccount } from "../../src/server/accounts/account-queries.ts";
import { findProvider } from "../../src/server/analysis/provider/provider-queries.ts";
import { NOW } from "../harness.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

const KEY = "sk-very-secret";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

const set = (...more: string[]) => [
  "providers",
  "set",
  "--url",
  "http://127.0.0.1:9/v1/",
  "--model",
  "m",
  ...more,
];

async function stored(kind: "chat" | "embedding") {
  return await fixture.withService(async ({ service }) => {
    const account = await findFirstAccount(service.store.readDb);
    return await findProvider(service.store.readDb, account?.id ?? "", kind);
  });
}

test("reads the key from standard input or the environment, and does not show it", async () => {
  const piped = await fixture.run(set(), { stdin: `${KEY}\n` });
  expect(piped).toMatchObject({ code: 0, err: "" });
  expect(piped.json).toEqual({
    provider: {
      kind: "chat",
      baseUrl: "http://127.0.0.1:9/v1",
      model: "m",
      timeoutMs: 30_000,
      updatedAt: NOW,
    },
  });
  expect(await stored("chat")).toMatchObject({ api_key: KEY, base_url: "http://127.0.0.1:9/v1" });
  const env = { PLAYTEST_PROVIDER_KEY: `${KEY}-2` };
  const named = await fixture.run(set("--kind", "embedding", "--deadline", "5s"), { env });
  expect(JSON.stringify(named)).not.toContain(KEY);
  expect(await stored("embedding")).toMatchObject({ api_key: `${KEY}-2`, timeout_ms: 5000 });
  const shown = await fixture.show(["providers", "list"]);
  expect(shown).toMatch(/chat +m +http:\/\/127\.0\.0\.1:9\/v1 +30s\nembedding +m .* 5s\n/);
  expect(shown + JSON.stringify((await fixture.run(["providers", "list"])).json)).not.toContain(KEY);
});

test("a second model of the same kind replaces the first", async () => {
  await fixture.run(set(), { stdin: KEY });
  await fixture.run(["providers", "set", "--url", "https://example.com/v1", "--model", "other"], {
    stdin: "k",
  });
  expect((await fixture.run(["providers", "list"])).json.providers).toMatchObject([{ model: "other" }]);
});

test.each([
  [["--url", "http://169.254.169.254/v1"], KEY, "link-local"],
  [["--url", "http://[fe80::1]/v1"], KEY, "link-local"],
  [["--url", "ftp://example.com"], KEY, "http or https"],
  [["--url", `http://user:${KEY}@example.com`], KEY, "password"],
  [["--url", "example"], KEY, "not a URL"],
  [["--deadline", "11m"], KEY, "--deadline"],
  [[], "", "No key provided"],
  [[], "two words", "spaces"],
])("rejects %j with the key %j", async (more, stdin, message) => {
  const { code, err } = await fixture.run(set(...more), { stdin });
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).not.toContain(KEY);
  expect(await stored("chat")).toBeUndefined();
});

test("the built-in provider needs only its URL", async () => {
  const { code, json } = await fixture.run(["providers", "set", "--url", "builtin:words"]);
  expect([code, json.provider]).toMatchObject([0, { baseUrl: "builtin:words", model: "builtin:words" }]);
});

test("the built-in provider accepts no other model", async () => {
  const { code, err } = await fixture.run(["providers", "set", "--url", "builtin:words", "--model", "gpt-5"]);
  expect([code, err]).toEqual([2, expect.stringContaining('--model "gpt-5" cannot be used')]);
  expect(await stored("chat")).toBeUndefined();
});

test("removes a model once", async () => {
  await fixture.run(set(), { stdin: KEY });
  expect((await fixture.run(["providers", "remove", "chat", "--yes"])).json).toEqual({ removed: "chat" });
  expect(await stored("chat")).toBeUndefined();
  expect((await fixture.run(["providers", "remove", "chat"])).code).toBe(44);
  expect((await fixture.run(["providers", "remove", "voice"])).code).toBe(2);
});
