/** Reads the parent span of a request from the W3C Trace Context headers (https://www.w3.org/TR/trace-context/). */
import { createTraceState, type SpanContext } from "@opentelemetry/api";

/** Version, trace id, parent id and flags. Later versions may add fields after another dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The parent span from the headers of a request; null if the header is missing or malformed, which starts a new trace. */
export function parseTraceparent(header: (name: string) => string | null): SpanContext | null {
  const [, version, traceId = "", spanId = "", flags = "", extraFields] =
    TRACEPARENT.exec(header("traceparent")?.trim() ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && extraFields !== undefined))
    return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  const state = header("tracestate");
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state ? { traceState: createTraceState(state) } : {}),
  };
}
