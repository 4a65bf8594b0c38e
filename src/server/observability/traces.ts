/** OpenTelemetry traces: a span for each request with a child span for its telemetry commit, and a trace for each analysis. */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { ModelStopped } from "../analysis/provider/faults.ts";
import { noopObserver, type Observer, type RequestInfo, type RequestOutcome } from "../core/observer.ts";
import { withTimeout } from "../core/with-timeout.ts";
import { isProbe, redactKeys, redactMessage } from "./redact.ts";

/** How long a stop waits for the export of the last spans, ms. */
const FLUSH_MS = 3000;
/** The methods that the semantic conventions define. Any other is recorded as `_OTHER`, in spans named `HTTP`. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]);

export interface Traces extends Observer {
  /** Exports the remaining spans, for at most 3 seconds. */
  stop(): Promise<void>;
}

export interface TraceSettings {
  readonly version: string;
  /** Called when an export fails, once until an export succeeds again. */
  report(message: string, error: unknown): void;
}

/** Starts tracing. OpenTelemetry's packages read the destination from their own environment variables. */
export function startTraces({ version, report }: TraceSettings): Traces {
  const defaults = resourceFromAttributes({ "service.name": "playtest", "service.version": version });
  const provider = new BasicTracerProvider({
    resource: defaults.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(withFailureReports(new OTLPTraceExporter(), report))],
  });
  const spans = new SpanRecorder(provider.getTracer("playtest", version));
  return {
    ...noopObserver,
    request: (request, answer) =>
      isProbe(request.endpoint) ? answer() : spans.traceRequest(request, answer),
    ingest: (commit) => spans.traceWork("ingest commit", commit),
    analysis: (sessionId, analyze) => spans.traceAnalysis(sessionId, analyze),
    async stop() {
      await withTimeout(FLUSH_MS, provider.shutdown()).catch((error: unknown) =>
        report("trace export during shutdown", error),
      );
    },
  };
}

/** Creates spans, and keeps track of the span in which the current code runs. */
class SpanRecorder {
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<Context>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** A request that an MCP tool makes within this process becomes a child of the request to the tool. */
  async traceRequest(request: RequestInfo, answer: () => Promise<RequestOutcome>): Promise<RequestOutcome> {
    const remoteParent = parseTraceparent(request.header);
    const current = this.#current.getStore() ?? ROOT_CONTEXT;
    const parent = remoteParent ? trace.setSpanContext(ROOT_CONTEXT, remoteParent) : current;
    const options = { kind: SpanKind.SERVER, attributes: toSpanAttributes(request) };
    const span = this.#tracer.startSpan(getSpanName(request), options, parent);
    const outcome = await this.#run(span, parent, answer);
    const { status } = outcome.response;
    span.setAttribute("http.response.status_code", status);
    if (outcome.bytes !== null) span.setAttribute("http.response.body.size", outcome.bytes);
    if (status >= 500) {
      span.setAttribute("error.type", String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
    return outcome;
  }

  /** Each analysis begins a new trace. Requests wake the worker, but an analysis does not belong to one of them. */
  async traceAnalysis(sessionId: string, analyze: () => Promise<void>): Promise<void> {
    const attributes = { "playtest.session.id": sessionId };
    const span = this.#tracer.startSpan("analyze session", { attributes }, ROOT_CONTEXT);
    await this.#runAndEnd(span, ROOT_CONTEXT, analyze);
  }

  async traceWork<T>(name: string, work: () => Promise<T>): Promise<T> {
    const parent = this.#current.getStore() ?? ROOT_CONTEXT;
    return await this.#runAndEnd(this.#tracer.startSpan(name, {}, parent), parent, work);
  }

  async #runAndEnd<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#run(span, parent, work);
    } catch (error) {
      // An analysis that is abandoned because the service stops has not failed.
      if (!(error instanceof ModelStopped)) {
        span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
        span.setStatus({ code: SpanStatusCode.ERROR, message: redactMessage(String(error)) });
      }
      throw error;
    } finally {
      span.end();
    }
  }

  #run<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    return this.#current.run(trace.setSpan(parent, span), work);
  }
}

function getSpanName({ method, pattern }: RequestInfo): string {
  const known = METHODS.has(method) ? method : "HTTP";
  return pattern === null ? known : `${known} ${pattern}`;
}

/**
 * The attributes of a request by the semantic conventions for HTTP servers
 * (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). `url.query` is left out, although it is recommended,
 * because the query of a webhook contains a key.
 */
function toSpanAttributes({ method, path, pattern, address, requestId }: RequestInfo): Attributes {
  const isKnown = METHODS.has(method);
  return {
    "http.request.method": isKnown ? method : "_OTHER",
    ...(isKnown ? {} : { "http.request.method_original": redactKeys(method) }),
    ...(pattern === null ? {} : { "http.route": pattern }),
    "url.path": path,
    "url.scheme": "http",
    "client.address": address,
    "playtest.request.id": requestId,
  };
}

/** Wraps an exporter to report when it begins to fail. A failed export only loses spans. */
function withFailureReports(inner: SpanExporter, report: TraceSettings["report"]): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      inner.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed && !isFailing)
          report("trace export", result.error ?? new Error("the collector rejected the spans"));
        isFailing = hasFailed;
        done(result);
      });
    },
    shutdown: () => inner.shutdown(),
    forceFlush: async () => await inner.forceFlush?.(),
  };
}

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
