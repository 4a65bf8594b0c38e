/** How far testers got, as the page of a comparison shows it, against the events that the game sent. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { renderSurvival } from "../../src/console/survival.ts";
import type { BuildDropoff } from "../../src/contract/dropoff.ts";
import { startDemo } from "../cli/demo.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import type { TestService } from "../harness.ts";
import { openPage } from "./open-page.ts";

let service: TestService;

beforeAll(async () => {
  service = await startDemo("sessions", { console: { identity: null } });
});

afterAll(async () => {
  await service.stop();
});

const read = async (path: string) => (await service.get(path)).json;

/** The devices of the ended sessions of a build in production, and those of them that sent an event in each room. */
async function countFromEvents(build: string) {
  const { items: sessions } = await read(
    `/api/v1/sessions?game=ember&build=${build}&env=production&status=analyzed&limit=500`,
  );
  const ended = new Map<string, string>(
    sessions.flatMap(({ id, deviceId }: Record<string, string>) => (deviceId ? [[id, deviceId]] : [])),
  );
  const entered = new Map<string, Set<string>>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await read(`/api/v1/raw-events/ember?build=${build}&env=production${more}`);
    for (const { sessionId, room } of page.items) {
      const device = ended.get(sessionId);
      if (device === undefined || room === null) continue;
      entered.set(room, (entered.get(room) ?? new Set()).add(device));
    }
    cursor = page.next;
  }
  const testers = new Set(ended.values()).size;
  return new Map([...entered].map(([room, devices]) => [room, `${devices.size}/${testers}`]));
}

/** The cells of the table of the page, by room: `27/27` for each build; `-` for a room that a build does not have. */
function readTable(html: string): Map<string, string[]> {
  const [table = ""] = /<caption>Testers who entered each room<.*?<\/table>/s.exec(html) ?? [];
  const rows = [...table.matchAll(/<th scope="row".*?<\/tr>/gs)].map(([row]) => row);
  return new Map(
    rows.map((row) => [
      /<a [^>]*>([^<]*)</.exec(row)?.[1] ?? "",
      [...row.matchAll(/<td[^>]*>(?:[\d<>&lgt;]+% \((\d+\/\d+)\)|-)/g)].map(([, counts = "-"]) => counts),
    ]),
  );
}

test("the curve has the testers of each build who sent an event in the room", async () => {
  const [after, before] = [await countFromEvents("0.9.0"), await countFromEvents("0.8.0")];
  const { text } = await openPage(service, "/games/ember/compare?a=0.8.0&b=0.9.0");
  const shown = readTable(text);
  expect(shown.size).toBeGreaterThan(4);
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(
      [...new Set([...after.keys(), ...before.keys()])].map((room) => [
        room,
        [after.get(room) ?? "-", before.get(room) ?? "-"],
      ]),
    ),
  );
  // Rooms are in the order in which the game leads through them.
  expect([...shown.keys()].at(0)).toBe("dock");
  expect([...shown.keys()].at(-1)).toBe("furnace");
});

test("the picture names both builds and has the same numbers in words", async () => {
  const { text } = await openPage(service, "/games/ember?build=0.9.0");
  const [, label = ""] = /class="chart survival"[^>]*aria-label="([^"]*)"/.exec(text) ?? [];
  const rooms = readTable(text);
  const [furnace = ""] = rooms.get("furnace") ?? [];
  expect(label).toMatch(/^Share of testers who entered each room\. 0\.9\.0: dock 100%/);
  expect(label).toContain(`furnace ${Math.round(100 * toShare(furnace))}% (${furnace})`);
  expect(label).toContain("0.8.0: dock 100%");
});

/** The value of a fraction such as `18/27`. */
function toShare(fraction: string): number {
  const [entered = 0, testers = 1] = fraction.split("/").map(Number);
  return entered / testers;
}

test("rooms that the picture leaves out are counted and listed", () => {
  const rooms = Array.from({ length: 35 }, (_, at) => ({
    ...{ room: `room-${at}`, entered: 40 - at, completed: 30 - at / 2 },
  }));
  const dropoff = {
    ...(responseBodies.getBuildDropoff as BuildDropoff),
    version: "1.0",
    testers: 40,
    rooms,
  } as BuildDropoff;
  const show = (data: BuildDropoff) =>
    renderSurvival(data, null, { game: "ember", env: undefined }, 760)?.markup ?? "";
  const html = show(dropoff);
  expect(html).toContain("and 19 more rooms, which fewer testers entered");
  const [, others = ""] = /<details(.*?)<\/details>/s.exec(html) ?? [];
  expect([...others.matchAll(/<th scope="row"/g)]).toHaveLength(19);
  expect([...readTable(html).keys()]).toHaveLength(35);
  const few = { ...dropoff, rooms: rooms.slice(0, 16) } as BuildDropoff;
  expect(show(few)).not.toContain("<details");
});
