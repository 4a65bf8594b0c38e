/** The testers of Ember Hollow. */
import type { DemoTester } from "./plan-sessions.ts";

export interface EmberTester extends DemoTester {
  readonly platform: "windows" | "linux" | "steamdeck";
  /** Walking speed relative to the default speed. */
  readonly pace: number;
}

export const emberTesters: readonly EmberTester[] = [
  { key: "mika", handle: "mika_plays", platform: "windows", country: "DE", city: "Berlin", pace: 1 },
  { key: "oskar", platform: "linux", country: "DE", city: "Hamburg", pace: 0.9 },
  { key: "noor", handle: "noor.z", platform: "windows", country: "NL", city: "Utrecht", pace: 1.1 },
  { key: "bruno", handle: "brunofm", platform: "windows", country: "BR", city: "Campinas", pace: 0.85 },
  { key: "yuki", handle: "yuki_04", platform: "windows", country: "JP", city: "Osaka", pace: 0.8 },
  { key: "lena", platform: "steamdeck", country: "AT", city: "Graz", pace: 0.95 },
  { key: "theo", handle: "theo-lag", platform: "windows", country: "FR", city: "Lyon", pace: 0.8 },
  { key: "ines", handle: "inesita", platform: "windows", country: "ES", city: "Valencia", pace: 1.05 },
  { key: "caleb", handle: "calebq", platform: "windows", country: "US", city: "Portland", pace: 0.9 },
  { key: "farah", platform: "steamdeck", country: "FR", city: "Lille", pace: 1 },
  { key: "sora", handle: "sora_desu", platform: "windows", country: "JP", city: "Tokyo", pace: 1.1 },
  { key: "hugo", platform: "linux", country: "FR", city: "Nantes", pace: 1 },
  { key: "elif", handle: "elifk", platform: "windows", country: "TR", city: "İzmir", pace: 0.9 },
  { key: "rafa", handle: "rafa_br", platform: "windows", country: "BR", city: "Salvador", pace: 1.15 },
  { key: "wren", handle: "wrenwood", platform: "windows", country: "GB", city: "Dundee", pace: 0.95 },
  { key: "anton", platform: "linux", country: "SE", city: "Malmö", pace: 1.05 },
  { key: "priya", handle: "priya.plays", platform: "windows", country: "IN", city: "Bengaluru", pace: 0.9 },
  { key: "jonas", platform: "steamdeck", country: "DE", region: "Bavaria", city: "Nuremberg", pace: 0.85 },
  { key: "marta", handle: "martaw", platform: "windows", country: "PL", city: "Kraków", pace: 1 },
  { key: "kenji", platform: "windows", country: "JP", city: "Fukuoka", pace: 0.85 },
  { key: "dana", handle: "dana_k", platform: "windows", country: "US", city: "Austin", pace: 1 },
  { key: "luca", platform: "windows", country: "IT", city: "Turin", pace: 1.1 },
  { key: "aiko", handle: "aiko", platform: "linux", country: "JP", city: "Kyoto", pace: 0.95 },
  { key: "sam", platform: "windows", country: "US", region: "Ohio", pace: 1 },
  { key: "pedro", handle: "pedrao", platform: "steamdeck", country: "BR", city: "Curitiba", pace: 1.05 },
  { key: "zoe", handle: "zoe_t", platform: "windows", country: "CA", city: "Montréal", pace: 0.9 },
  { key: "nils", platform: "steamdeck", country: "NO", city: "Bergen", pace: 1 },
  { key: "amara", handle: "amara.o", platform: "windows", country: "NG", city: "Lagos", pace: 0.95 },
  { key: "rig", handle: "qa-bench", platform: "windows", country: "DE", city: "Berlin", pace: 1.2 },
];
