/** Writes stored events as JSON. What all events of a batch share is encoded once. */
import type { RawEvent } from "../../contract/events.ts";
import type { ArrivedBatch } from "./batch-queries.ts";
import { readPosition, type TelemetryEvent } from "./event-names.ts";

export class RawEventWriter {
  /** The fields of the session and of the arrival, as JSON without braces. */
  readonly #session: string;
  readonly #arrival: string;
  /** The JSON of names and rooms. */
  readonly #words = new Map<string, string>();

  constructor(batch: ArrivedBatch) {
    const session: Partial<RawEvent> = {
      sessionId: batch.session_id,
      deviceId: batch.device_id,
      testerHandle: batch.tester_handle,
      build: batch.build,
      environment: batch.environment,
      source: batch.source,
    };
    this.#session = JSON.stringify(session).slice(1, -1);
    this.#arrival = `"receivedAt":${Number(batch.received_at)}`;
  }

  write(event: TelemetryEvent): string {
    const { id, name, timestamp, data } = event;
    const start = `{"id":${JSON.stringify(id)},"name":${this.#word(name)},"timestamp":${timestamp}`;
    const position = readPosition(event);
    const room = position?.room ?? readRoom(data);
    const place = `"room":${room === null ? "null" : this.#word(room)},"x":${position?.x ?? null},"y":${position?.y ?? null}`;
    return `${start},${this.#session},${place},"data":${data ? JSON.stringify(data) : "null"},${this.#arrival}}`;
  }

  #word(word: string): string {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const json = JSON.stringify(word);
    this.#words.set(word, json);
    return json;
  }
}

/** The room of an event without coordinates. */
function readRoom(data: TelemetryEvent["data"]): string | null {
  const room = data?.room;
  return typeof room === "string" && room !== "" ? room : null;
}
