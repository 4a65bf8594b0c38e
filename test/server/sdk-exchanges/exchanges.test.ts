/** Recorded exchanges of SDKs of other vendors, sent again over real sockets. */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSession } from "../telemetry-helpers.ts";
import { type GameService, sdks, startGameService } from "./game-service.ts";

interface Exchange {
  readonly name: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** Fields that the SDK reads. `<string>` and `<number>` match any value of the type. */
    readonly body: unknown;
    /** Values of later placeholders, by name: fields of the response. */
    readonly save?: Readonly<Record<string, string>>;
  };
}

const exchanges = JSON.parse(readFileSync(join(import.meta.dirname, "exchanges.json"), "utf8")) as Exchange[];

let games: GameService;

beforeAll(async () => {
  games = await startGameService();
});

afterAll(async () => {
  expect(games.service.faults).toEqual([]);
  await games.stop();
});

/** Replaces placeholders such as `{session}` in any JSON value. */
function fill<T>(value: T, values: Readonly<Record<string, string>>): T {
  const text = JSON.stringify(value).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  return JSON.parse(text) as T;
}

/** Replaces `<string>` and `<number>` with matchers. */
function toMatcher(value: unknown): unknown {
  if (value === "<string>") return expect.any(String);
  if (value === "<number>") return expect.any(Number);
  if (Array.isArray(value)) return value.map(toMatcher);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toMatcher(field)]));
}

/** Sends a request over its own connection. */
async function send(sdk: string, { method, path, body }: Exchange["request"]) {
  const text = body === undefined ? null : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${games.key}`,
    accept: "application/json",
    "X-Studio-Environment": "dev",
    "X-Studio-SDK": sdk,
    ...(text === null
      ? {}
      : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
  };
  return await new Promise<{
    status: number;
    headers: Record<string, unknown>;
    body: Record<string, string>;
  }>((resolve, reject) => {
    const sent = request(`${games.server.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const answer = JSON.parse(Buffer.concat(chunks).toString());
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer });
      });
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

describe.each(sdks)("the SDK for %s", (sdk) => {
  const values: Record<string, string> = { sdk };
  beforeAll(() => {
    Object.assign(values, games.values, { claimToken: games.claimTokens.get(sdk) });
  });

  it.each(exchanges.map((exchange) => [exchange.name, exchange] as const))("%s", async (_, exchange) => {
    const { response, request: recorded } = exchange;
    const answer = await send(sdk, fill(recorded, values));
    expect([answer.status, answer.body]).toEqual([response.status, answer.body]);
    expect(answer.body).toMatchObject(toMatcher(fill(response.body, values)) as object);
    expect(answer.headers).toMatchObject(response.headers ?? {});
    for (const [name, field] of Object.entries(response.save ?? {})) values[name] = answer.body[field] ?? "";
  });

  it("has a session with everything that was sent", async () => {
    await games.service.analysis.drain();
    const { session, insights } = await readSession(games.service, values.session ?? "");
    expect(session).toMatchObject({
      source: `${sdk}-telemetry`,
      environment: "dev",
      deviceId: `${sdk}-device`,
      testerHandle: `${sdk}-wren`,
      metadata: { gameVersion: "0.9.0", platform: "WindowsPlayer" },
      event_counts: { session_start: 1, player_pos: 1, jump: 1, quit: 1 },
      feedback: [{ askedAtSec: 300, answeredAtSec: 312.5 }],
    });
    const titles = insights.map(({ title }: { title: string }) => title);
    expect(titles).toContain("A player reported: “The door does not open”");
  });
});
