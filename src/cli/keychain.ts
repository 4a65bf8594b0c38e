/** Access to the keychain of the operating system. It is loaded only if a key is stored there. */
import type { StoredKeyKind } from "./config-file.ts";
import { fail } from "./errors.ts";
import type { Io } from "./io.ts";

const PACKAGE = "@napi-rs/keyring";
const SERVICE = "playtest";

export interface KeychainKeyName {
  readonly profile: string;
  readonly kind: StoredKeyKind;
  readonly baseUrl: string;
}

type KeychainIo = Pick<Io, "signal" | "interruptible">;
type KeychainEntry = InstanceType<typeof import("@napi-rs/keyring").AsyncEntry>;

/** Stores a key. Throws `config` if the keychain cannot be used. */
export async function storeInKeychain(io: KeychainIo, name: KeychainKeyName, key: string): Promise<void> {
  await withEntry(io, name, "store the key", (entry) => entry.setPassword(key));
}

/** Reads a key. Throws `config` if the keychain cannot be used or has no such key. */
export async function readFromKeychain(io: KeychainIo, name: KeychainKeyName): Promise<string> {
  const key = await withEntry(io, name, "return the key", (entry) => entry.getPassword());
  if (key !== null) return key;
  throw fail("config", {
    message: `The keychain has no ${name.kind} key for ${name.baseUrl} in profile ${JSON.stringify(name.profile)}`,
    hint: "Run `playtest login --keychain` to store it again.",
  });
}

/** Removes a key if it exists. Throws `config` if the keychain cannot be used. */
export async function removeFromKeychain(io: KeychainIo, name: KeychainKeyName): Promise<void> {
  await withEntry(io, name, "remove the key", (entry) => entry.deletePassword());
}

async function withEntry<T>(
  { signal, interruptible }: KeychainIo,
  { profile, kind, baseUrl }: KeychainKeyName,
  action: string,
  use: (entry: KeychainEntry) => Promise<T>,
): Promise<T> {
  const { AsyncEntry } = await loadKeyring();
  signal.throwIfAborted();
  try {
    // Otherwise the package may fall back to the kernel's keyring on Linux, which a reboot clears.
    const options = { linux: { store: "secret-service" } } as const;
    const entry = new AsyncEntry(SERVICE, `${profile} ${kind} ${baseUrl}`, options);
    // The system may ask for a password first. Ctrl-C must work while it waits.
    return await interruptible(() => Promise.race([use(entry), rejectOnAbort(signal)]));
  } catch (cause) {
    signal.throwIfAborted();
    throw fail("config", {
      message: `The keychain cannot ${action}: ${(cause as Error).message}`,
      hint: "Unlock the keychain, log in without --keychain, or set PLAYTEST_KEY (or PLAYTEST_INGEST_KEY for telemetry).",
      cause,
    });
  }
}

async function loadKeyring(): Promise<typeof import("@napi-rs/keyring")> {
  try {
    return await import("@napi-rs/keyring");
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND";
    throw fail("config", {
      message: `${PACKAGE}, which is required for keychain access, ${isMissing ? "is not installed" : `cannot be loaded: ${(cause as Error).message}`}`,
      hint: "Reinstall playtest without --omit=optional, or log in without --keychain.",
      cause,
    });
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
