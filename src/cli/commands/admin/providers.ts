/** The `admin providers` commands: model providers. Their keys are never shown. */
import { defineColumns } from "../../../render/tables/columns.ts";
import { BUILTIN } from "../../../server/analysis/provider/builtin.ts";
import {
  deleteProvider,
  findProvider,
  findProviders,
  storeProvider,
} from "../../../server/analysis/provider/provider-queries.ts";
import type { ProviderRow } from "../../../server/db/schema.ts";
import { trimEndOf } from "../../../shared/trim.ts";
import { command, createTable } from "../../command.ts";
import { fail, unknownValue } from "../../errors.ts";
import { choice, duration, text } from "../../flags.ts";
import { parseOutboundUrl } from "../../outbound-url.ts";
import { redactUrl } from "../../public-url.ts";
import {
  administerConfirmed,
  administerNew,
  creatingAdminFlags,
  destructiveAdminFlags,
  failNotFound,
} from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";
import { readSecret } from "./text-file.ts";

/** A model provider in the output of commands. `updatedAt` is in unix ms. */
function toProviderView(row: Omit<ProviderRow, "api_key">) {
  const { kind, base_url, model, timeout_ms, updated_at } = row;
  return { kind, baseUrl: base_url, model, timeoutMs: timeout_ms, updatedAt: updated_at };
}

const providerColumns = defineColumns<ReturnType<typeof toProviderView>>({
  kind: { header: "KIND" },
  model: { header: "MODEL" },
  baseUrl: { header: "URL", shrink: 1 },
  timeoutMs: { header: "DEADLINE", value: ({ timeoutMs }) => `${timeoutMs / 1000}s` },
});

const providerKinds = ["chat", "embedding"] as const;

const PROVIDER_KEY_VARIABLE = "PLAYTEST_PROVIDER_KEY";
const NO_KEY_HINT = " If the model needs no key, use any word.";

const DEFAULT_DEADLINE_MS = 30_000;

export const setProviderCommand = command({
  path: "admin providers set",
  summary: "Set an AI model provider of an account: any OpenAI-compatible service",
  details:
    "A chat model adds insights and writes suggestions, summaries and digests. An embedding model finds groups of " +
    "similar testers (`playtest testers archetypes`). " +
    `The key of the provider is read from ${PROVIDER_KEY_VARIABLE} or, if that is not set, from standard input. It cannot be ` +
    "passed as an argument, because other users of the machine could read it, and it is never shown. It is " +
    "stored in the database; only the owner should be able to read that file. `--url builtin:words` selects the built-in " +
    "provider, which needs no key, network or --model. As an embedding provider, it compares testers by the words in their summaries. " +
    "As a chat provider, it turns on suggestions without an AI model: built-in rules write them.",
  flags: {
    ...creatingAdminFlags,
    kind: choice(
      "--kind <kind>",
      "kind of the model provider: chat or embedding (default: chat)",
      providerKinds,
    ),
    url: text("--url <url>", "base URL, such as https://api.openai.com/v1, or builtin:words (required)"),
    model: text("--model <id>", "model id (required, except with --url builtin:words)"),
    deadline: duration("--deadline <duration>", "maximum total time per model request (default: 30s)"),
  },
  examples: [
    "admin providers set --url https://api.openai.com/v1 --model gpt-5 < key.txt",
    "admin providers set --kind embedding --url builtin:words",
  ],
  async run(context, { flags }) {
    const { kind = "chat", url, deadline = DEFAULT_DEADLINE_MS, ...admin } = flags;
    const model = flags.model ?? (url === BUILTIN ? BUILTIN : undefined);
    if (url === undefined || model === undefined) {
      const missing =
        url !== undefined ? "--model is" : model !== undefined ? "--url is" : "--url and --model are";
      throw fail("usage", { message: `${missing} required` });
    }
    if (url === BUILTIN && model !== BUILTIN) {
      throw fail("usage", {
        message: `--model ${JSON.stringify(model)} cannot be used with --url ${BUILTIN}, which has no models`,
        hint: "Omit --model, or set --url to the service that has the model.",
      });
    }
    if (deadline < 1 || deadline > 600_000) {
      throw fail("usage", { message: `--deadline must be from 1ms to 10m, not ${deadline}ms` });
    }
    const base_url = checkUrl(url, context.settings.allowHttp);
    const api_key =
      base_url === BUILTIN ? "" : await readSecret(context.io, PROVIDER_KEY_VARIABLE, "key", NO_KEY_HINT);
    const row = await administerNew(context, admin, async ({ db, service, accountId, note }) => {
      note.detail = { kind };
      const updated_at = service.now();
      const provider = {
        account_id: accountId,
        kind,
        base_url,
        model,
        api_key,
        timeout_ms: deadline,
        updated_at,
      };
      await storeProvider(db, provider);
      return provider;
    });
    const provider = toProviderView(row);
    return { data: { provider }, table: createTable([provider], providerColumns, "") };
  },
});

/**
 * The base URL without a trailing slash. Throws `usage` if it is invalid, its address is not allowed, or the key would be
 * sent to it unencrypted.
 */
function checkUrl(text: string, allowHttp: boolean): string {
  if (text === BUILTIN) return text;
  const url = parseOutboundUrl(text, {
    label: `--url ${JSON.stringify(redactUrl(text))}`,
    name: "model URL",
    example: "https://api.openai.com/v1",
    content: "the key and the texts of testers",
    allowHttp,
  });
  return trimEndOf(url.href, "/");
}

export const removeProviderCommand = command({
  path: "admin providers remove",
  summary: "Remove a model provider of an account, and its key",
  args: [{ name: "<kind>", describe: "kind of the model provider: chat or embedding" }],
  flags: destructiveAdminFlags,
  examples: ["admin providers remove embedding --yes"],
  async run(context, { args, flags }) {
    const kind = providerKinds.find((candidate) => candidate === args[0]);
    if (!kind) throw unknownValue("kind", args[0] ?? "", providerKinds);
    await administerConfirmed(
      context,
      flags,
      async ({ db, accountId }) => {
        if (await findProvider(db, accountId, kind)) return `Remove the ${kind} model provider and its key?`;
        throw failNotFound(
          `${kind} model provider configured`,
          "`playtest admin providers list` to list the model providers",
        );
      },
      ({ db, accountId, note }) => {
        note.detail = { kind };
        return deleteProvider(db, accountId, kind);
      },
    );
    return { data: { removed: kind }, view: () => `Removed the ${kind} model provider.\n` };
  },
});

export const listProvidersCommand = createAdminListCommand({
  path: "admin providers list",
  summary: "List an account's model providers, without their keys",
  examples: ["admin providers list"],
  field: "providers",
  columns: providerColumns,
  empty: "No model providers configured.",
  read: async ({ db, accountId }) => (await findProviders(db, accountId)).map(toProviderView),
});
