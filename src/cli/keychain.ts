/** The keychain of the operating system, for those who keep their keys there: nobody else loads it. */
import type { ApiKeyKind } from "../contract/define.ts";
import { fail } from "./errors.ts";
import type { Io } from "./io.ts";

const PACKAGE = "@napi-rs/keyring";
const SERVICE = "playtest";

/** What a key in the keychain is called by. */
export interface KeychainKeyName {
  readonly profile: string;
  readonly kind: ApiKeyKind;
  readonly baseUrl: string;
}

type KeychainIo = Pick<Io, "signal">;
type KeychainEntry = InstanceType<typeof import("@napi-rs/keyring").AsyncEntry>;

/** Keeps a key. Throws `config` where the keychain cannot be used. */
export async function storeInKeychain(io: KeychainIo, name: KeychainKeyName, key: string): Promise<void> {
  await withEntry(io, name, "keep the key", (entry) => entry.setPassword(key));
}

/** The key. Throws `config` where the keychain cannot be used or holds none of this name. */
export async function readFromKeychain(io: KeychainIo, name: KeychainKeyName): Promise<string> {
  const key = await withEntry(io, name, "give the key", (entry) => entry.getPassword());
  if (key !== null) return key;
  throw fail("config", {
    message: `The keychain holds no ${name.kind} key for ${name.baseUrl} of profile ${name.profile}`,
    hint: "Store it again with `playtest login --keychain`.",
  });
}

/** Removes the key, if it is there. Throws `config` where the keychain cannot be used. */
export async function removeFromKeychain(io: KeychainIo, name: KeychainKeyName): Promise<void> {
  await withEntry(io, name, "give up the key", (entry) => entry.deletePassword());
}

async function withEntry<T>(
  { signal }: KeychainIo,
  { profile, kind, baseUrl }: KeychainKeyName,
  what: string,
  use: (entry: KeychainEntry) => Promise<T>,
): Promise<T> {
  const { AsyncEntry } = await loadKeyring();
  signal.throwIfAborted();
  try {
    // On Linux the package would else fall back to the kernel's keyring, which forgets with the next start.
    const options = { linux: { store: "secret-service" } } as const;
    const entry = new AsyncEntry(SERVICE, `${profile} ${kind} ${baseUrl}`, options);
    // The system may ask for a password first, and nobody has to answer.
    return await Promise.race([use(entry), rejectOnAbort(signal)]);
  } catch (cause) {
    signal.throwIfAborted();
    throw fail("config", {
      message: `The keychain cannot ${what}: ${(cause as Error).message}`,
      hint: "Unlock it and try again, log in without --keychain, or set PLAYTEST_KEY (PLAYTEST_INGEST_KEY to send).",
      cause,
    });
  }
}

async function loadKeyring(): Promise<typeof import("@napi-rs/keyring")> {
  try {
    return await import("@napi-rs/keyring");
  } catch (cause) {
    throw fail("config", {
      message: `${PACKAGE}, which reaches the keychain, is not installed`,
      hint: "Install playtest again without --omit=optional, or log in without --keychain.",
      cause,
    });
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
