/** Tracking plans: which events a game sends, with the JSON Schema of the data of each. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { parseJsonFile } from "../../../shared/parse-json.ts";
import { fail } from "../../errors.ts";
import { failToRead } from "../../file-errors.ts";
import type { Io } from "../../io.ts";

/** Checks events against a plan. */
export interface TrackingPlan {
  /** What is wrong with an event; empty if it follows the plan. */
  check(name: string, data: unknown): string[];
  /** The names of events that every run must contain. */
  readonly required: readonly string[];
}

const planSchema = {
  type: "object",
  required: ["events"],
  additionalProperties: false,
  properties: {
    $schema: { type: "string" },
    description: { type: "string" },
    allowOtherEvents: { type: "boolean" },
    events: {
      type: "object",
      additionalProperties: {
        type: "object",
        additionalProperties: false,
        properties: {
          description: { type: "string" },
          required: { type: "boolean" },
          data: { type: ["object", "boolean"] },
        },
      },
    },
  },
} as const;

interface PlanFile {
  readonly allowOtherEvents?: boolean;
  readonly events: Readonly<
    Record<string, { readonly required?: boolean; readonly data?: object | boolean }>
  >;
}

/** Maximum number of faults that are listed per event. */
const MAX_FAULTS = 5;

/** Reads a plan. Throws `config` if it cannot be read or is not a valid plan. */
export async function readPlan(file: string, { cwd }: Pick<Io, "cwd">): Promise<TrackingPlan> {
  // Loaded only here, because compiling schemas would slow down the start of every command.
  const { default: Ajv } = await import("ajv/dist/2020.js");
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, logger: false });
  const json = await readJson(resolve(cwd, file), file);
  const validate = ajv.compile<PlanFile>(planSchema);
  if (!validate(json)) throw invalidPlan(file, describeErrors(validate, "plan").join("; "));
  const events = new Map<string, ValidateFunction>();
  for (const [name, { data = true }] of Object.entries(json.events)) {
    try {
      events.set(name, ajv.compile(data));
    } catch (error) {
      throw invalidPlan(file, `events.${name}.data: ${describeSchemaError(error as Error)}`);
    }
  }
  const { allowOtherEvents = false } = json;
  return {
    required: Object.entries(json.events).flatMap(([name, { required }]) => (required ? [name] : [])),
    check(name, data) {
      const validateData = events.get(name);
      if (!validateData) return allowOtherEvents ? [] : ["is not in the plan"];
      return validateData(data ?? {}) ? [] : describeErrors(validateData, "data").slice(0, MAX_FAULTS);
    },
  };
}

/** What is wrong with the schema of an event. The package calls the schema `data`, like what it would check. */
const describeSchemaError = ({ message }: Error) =>
  message.replace(/^schema is invalid: data\b/, "the schema");

async function readJson(path: string, file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw failToRead(`the plan ${file}`, "Check the path of the plan.", cause);
  }
  try {
    return parseJsonFile(text);
  } catch {
    throw invalidPlan(file, "it is not JSON");
  }
}

function invalidPlan(file: string, reason: string): Error {
  return fail("config", {
    message: `The plan ${file} is not valid: ${reason}`,
    hint: "docs/guide/send-telemetry.md describes the format of plans.",
  });
}

/** The errors of the last validation, such as `data.room must be string`. `root` names what was validated. */
function describeErrors({ errors }: Pick<ValidateFunction, "errors">, root: string): string[] {
  return (errors ?? []).map(({ instancePath, message, params }) => {
    const path = [root, ...instancePath.split("/").slice(1)].join(".");
    const { additionalProperty, allowedValues } = params as Record<string, unknown>;
    const detail = additionalProperty ?? allowedValues;
    return `${path} ${message}${detail === undefined ? "" : ` (${JSON.stringify(detail)})`}`;
  });
}
