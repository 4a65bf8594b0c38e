/** What the TypeScript client writes to the storage of a page, and when. Chromium runs it in test/system/typescript-client.test.ts. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Playtest } from "../../clients/typescript/playtest.ts";

const FRAME_MS = 33;
/** What the client may write in a frame: one batch, and what was written before it. */
const MAX_FRAME_BYTES = 64 * 1024;
const BURST = 10_000;

/** A storage that counts the characters that are written. */
class CountingStorage {
  readonly #values = new Map<string, string>();
  written = 0;
  get length() {
    return this.#values.size;
  }
  key(index: number) {
    return [...this.#values.keys()][index] ?? null;
  }
  getItem(name: string) {
    return this.#values.get(name) ?? null;
  }
  setItem(name: string, value: string) {
    this.written += value.length;
    this.#values.set(name, value);
  }
  removeItem(name: string) {
    this.#values.delete(name);
  }
  /** How often each event is in the queue, by id. */
  countEvents(): Map<string, number> {
    const ids = [...this.#values].flatMap(([name, text]) =>
      /\.events(\.open)?$/.test(name)
        ? [...text.matchAll(/^\{"id":"(\d+)"/gm)].map(([, id]) => id ?? "")
        : [],
    );
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }
}

let storage: CountingStorage;
let listeners: Map<string, () => void>;
let answer: () => Promise<Response>;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval", "performance", "Date"],
  });
  storage = new CountingStorage();
  listeners = new Map();
  answer = () => Promise.reject(new Error("no connection"));
  const listen = (name: string, listener: () => void) => listeners.set(name, listener);
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("document", { visibilityState: "visible", hasFocus: () => true, addEventListener: listen });
  vi.stubGlobal("addEventListener", listen);
  vi.stubGlobal("fetch", () => answer());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function startGame(): Playtest {
  const options = { baseUrl: "http://127.0.0.1:1", key: "pt_ik_1", gameId: "ember", log: () => {} };
  const playtest = new Playtest(options);
  playtest.start();
  return playtest;
}

function burst(playtest: Playtest): void {
  for (let at = 0; at < BURST; at += 1)
    playtest.track("footstep", { room: "dock", x: at, y: at / 7, step: at % 9 });
}

/** Lets frames pass, and returns the most characters that were written in one of them. */
async function runFrames(count: number): Promise<number> {
  let most = 0;
  for (let frame = 0; frame < count; frame += 1) {
    const before = storage.written;
    await vi.advanceTimersByTimeAsync(FRAME_MS);
    most = Math.max(most, storage.written - before);
  }
  return most;
}

const isComplete = () => storage.countEvents().size === BURST + 1;

describe("a burst of events in a page", () => {
  test("is written in slices, completely and in its order", async () => {
    const playtest = startGame();
    burst(playtest);
    expect(await runFrames(3)).toBeLessThanOrEqual(MAX_FRAME_BYTES);
    expect(isComplete()).toBe(false);
    expect(await runFrames(90)).toBeLessThanOrEqual(MAX_FRAME_BYTES);
    expect(isComplete()).toBe(true);
    expect([...storage.countEvents().keys()].map(Number)).toEqual(
      Array.from({ length: BURST + 1 }, (_, n) => n + 1),
    );
    expect(Math.max(...storage.countEvents().values())).toBe(1);
    expect(playtest.status().droppedEvents).toBe(0);
  });

  test("is written at once when the page is hidden or closed", async () => {
    for (const event of ["pagehide", "visibilitychange"]) {
      const playtest = startGame();
      burst(playtest);
      await runFrames(2);
      const { document } = globalThis as unknown as { document: { visibilityState: string } };
      document.visibilityState = "hidden";
      const started = storage.countEvents().size;
      listeners.get(event)?.();
      // Without a timer, as a page that closes has none left.
      for (let turn = 0; turn < 2000; turn += 1) await Promise.resolve();
      expect(started).toBeLessThan(BURST);
      // Hiding the page adds the event focus_lost, and frames are not measured here.
      expect(storage.countEvents().size, event).toBeGreaterThanOrEqual(BURST + 1);
      playtest.setConsent(false);
      await runFrames(40);
      document.visibilityState = "visible";
      playtest.setConsent(true);
    }
  });

  test("is written in slices again after the page was shown again", async () => {
    const playtest = startGame();
    listeners.get("pagehide")?.();
    await runFrames(1);
    burst(playtest);
    expect(await runFrames(90)).toBeLessThanOrEqual(MAX_FRAME_BYTES);
    expect(isComplete()).toBe(true);
  });

  test("is not written twice, and leaves nothing after the service confirmed it", async () => {
    const receipt = '{"sessionId":"sess_1","accepted":1,"duplicates":0,"rejected":[]}';
    // Compression takes turns of the event loop, which the frames of this test do not have.
    vi.stubGlobal("CompressionStream", undefined);
    answer = async () => new Response(receipt, { status: 202 });
    const playtest = startGame();
    burst(playtest);
    // The last batch is due after 10 s.
    await runFrames(400);
    expect(playtest.status().queuedBytes).toBe(0);
    expect(storage.countEvents().size).toBe(0);
    // The events have 105 bytes. The last batch is written before it is complete, too.
    expect(storage.written).toBeLessThan(BURST * 130);
  });

  test("is deleted without being written if the player opts out meanwhile", async () => {
    const playtest = startGame();
    burst(playtest);
    await runFrames(2);
    playtest.setConsent(false);
    await runFrames(90);
    expect(storage.countEvents().size).toBe(0);
  });
});

test("events at the usual rate are written within a quarter of a second, once complete", async () => {
  const playtest = startGame();
  for (let second = 0; second < 20; second += 1) {
    for (let at = 0; at < 20; at += 1) playtest.track("footstep", { at });
    await vi.advanceTimersByTimeAsync(250);
    expect(storage.countEvents().size).toBe(1 + 20 * (second + 1));
    expect(await runFrames(20)).toBeLessThanOrEqual(MAX_FRAME_BYTES);
  }
});
