/** admin providers: a model is set, listed and removed, and its key is never seen. */
import { expect, test } from "vitest";
import { findFirstAccount } from "../../src/server/accounts/queries.ts";
import { findProvider } from "../../src/server/analysis/provider/queries.ts";
import { NOW } from "../harness.ts";
import { eachPlace, type Place } from "./local-admin.ts";

const KEY = "sk-very-secret";

let place: Place;
eachPlace((made) => {
  place = made;
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
  return await place.served(async ({ service }) => {
    const account = await findFirstAccount(service.store.readDb);
    return await findProvider(service.store.readDb, account?.id ?? "", kind);
  });
}

test("the key comes from standard input or the environment, and is not shown", async () => {
  const piped = await place.run(set(), { stdin: `${KEY}\n` });
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
  const named = await place.run(set("--kind", "embedding", "--deadline", "5s"), { env });
  expect(JSON.stringify(named)).not.toContain(KEY);
  expect(await stored("embedding")).toMatchObject({ api_key: `${KEY}-2`, timeout_ms: 5000 });
  const shown = await place.show(["providers", "list"]);
  expect(shown).toMatch(/chat +m +http:\/\/127\.0\.0\.1:9\/v1 +30s\nembedding +m .* 5s\n/);
  expect(shown + JSON.stringify((await place.run(["providers", "list"])).json)).not.toContain(KEY);
});

test("a second of one kind takes the place of the first", async () => {
  await place.run(set(), { stdin: KEY });
  await place.run(["providers", "set", "--url", "https://example.com/v1", "--model", "other"], {
    stdin: "k",
  });
  expect((await place.run(["providers", "list"])).json.providers).toMatchObject([{ model: "other" }]);
});

test.each([
  [["--url", "http://169.254.169.254/v1"], KEY, "link-local"],
  [["--url", "http://[fe80::1]/v1"], KEY, "link-local"],
  [["--url", "ftp://example.com"], KEY, "http or https"],
  [["--url", `http://user:${KEY}@example.com`], KEY, "password"],
  [["--url", "example"], KEY, "not a URL"],
  [["--deadline", "11m"], KEY, "--deadline"],
  [[], "", "No key was given"],
  [[], "two words", "spaces"],
])("%j with the key %j is refused", async (more, stdin, message) => {
  const { code, err } = await place.run(set(...more), { stdin });
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).not.toContain(KEY);
  expect(await stored("chat")).toBeUndefined();
});

test("it is removed once", async () => {
  await place.run(set(), { stdin: KEY });
  expect((await place.run(["providers", "remove", "chat"])).json).toEqual({ removed: "chat" });
  expect(await stored("chat")).toBeUndefined();
  expect((await place.run(["providers", "remove", "chat"])).code).toBe(44);
  expect((await place.run(["providers", "remove", "voice"])).code).toBe(2);
});
