/** A scripted model on loopback: each request is handled by the next script, and all requests are recorded. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { storeProvider } from "../../../../src/server/analysis/provider/provider-queries.ts";
import type { ProviderRow } from "../../../../src/server/db/schema.ts";
import { NOW, type TestService } from "../../../harness.ts";

/** One request as the model received it. */
export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever was sent
  readonly body: any;
}

/** Responds to one request. */
export type Script = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;

export interface ScriptedModel {
  readonly baseUrl: string;
  readonly asked: Asked[];
  /** Sets the scripts for the next requests, in order. The last one is used for all further requests. */
  play(...scripts: Script[]): void;
  stop(): Promise<void>;
}

/** Starts a model that responds with status 500 until a script is set. */
export async function startModel(): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  let scripts: Script[] = [status(500)];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const one = {
      path: request.url ?? "",
      authorization: request.headers.authorization,
      body: text === "" ? null : JSON.parse(text),
    };
    asked.push(one);
    const script = scripts.length > 1 ? scripts.shift() : scripts[0];
    script?.(one, response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    play: (...next) => {
      scripts = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const json = (response: ServerResponse, value: unknown) => {
  response.setHeader("content-type", "application/json");
  response.end(typeof value === "string" ? value : JSON.stringify(value));
};

export const status =
  (code: number, headers: Record<string, string> = {}): Script =>
  (_, response) => {
    response.writeHead(code, headers).end('{"error":{"message":"no"}}');
  };

/** A chat completion with this text and finish reason. */
export const says =
  (content: unknown, finish = "stop"): Script =>
  (_, response) =>
    json(response, {
      id: "c1",
      object: "chat.completion",
      choices: [
        {
          index: 0,
          finish_reason: finish,
          message: {
            role: "assistant",
            content: typeof content === "string" ? content : JSON.stringify(content),
          },
        },
      ],
    });

/** A chat completion computed from the material in the request. */
export const answers =
  // biome-ignore lint/suspicious/noExplicitAny: the material is whatever the service made
    (make: (material: any) => unknown): Script =>
    (asked, response, request) =>
      says(make(materialOf(asked)))(asked, response, request);

export const declines: Script = (_, response) =>
  json(response, {
    choices: [
      { finish_reason: "stop", message: { role: "assistant", content: null, refusal: "I will not" } },
    ],
  });

export const hangs: Script = () => {};

export const raw =
  (text: string): Script =>
  (_, response) =>
    json(response, text);

export const redirects =
  (location: string): Script =>
  (_, response) => {
    response.writeHead(307, { location }).end();
  };

/** The embedding of each text in the request. */
export const embeds =
  (vectorOf: (text: string) => readonly unknown[]): Script =>
  ({ body }, response) =>
    json(response, {
      object: "list",
      data: (body.input as string[]).map((text, index) => ({ index, embedding: vectorOf(text) })),
    });

/** The material between its tags in the user message. */
export function materialOf({ body }: Asked) {
  const content = body.messages[1].content as string;
  return JSON.parse(/^<material>\n(.*)\n<\/material>$/s.exec(content)?.[1] ?? "null");
}

/** Configures the model for the account of a service. */
export async function configure(
  service: TestService,
  kind: ProviderRow["kind"],
  more: Partial<ProviderRow> & Pick<ProviderRow, "base_url">,
): Promise<void> {
  await storeProvider(service.service.store.writeDb, {
    account_id: service.accountId,
    kind,
    model: `a-${kind}-model`,
    api_key: "sk-secret",
    timeout_ms: 10_000,
    updated_at: NOW,
    ...more,
  });
}
