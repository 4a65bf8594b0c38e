/** Sources of sessions, as the API names them. */
export const SOURCES = {
  manual: "manual",
  discord: "discord",
  unity: "unity-telemetry",
  unreal: "unreal-telemetry",
  godot: "godot-telemetry",
  python: "python-telemetry",
  typescript: "typescript-telemetry",
  obs: "obs",
} as const;
