/** Reads who a request is a part of, from the headers of W3C Trace Context (https://www.w3.org/TR/trace-context/). */
import { createTraceState, type SpanContext } from "@opentelemetry/api";

/** version, trace id, parent id, flags; what a later version adds comes behind another dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The span that a request's sender names; null where the header is absent or malformed, which starts a new trace. */
export function parseTraceparent(header: (name: string) => string | null): SpanContext | null {
  const [, version, traceId = "", spanId = "", flags = "", more] =
    TRACEPARENT.exec(header("traceparent")?.trim() ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return null;
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
