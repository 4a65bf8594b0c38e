/** Made by `npm run generate`: what is answered before any command is loaded. */
export const version = "0.1.0";
/** The flags that a value follows. */
export const valueFlags: readonly string[] = ["--base-url","--build","--color","--create-game","--database","--durability","--env","--fail-on","--fields","--format","--from","--game","--host","--host-name","--jq","--limit","--limits","--max-wait","--name","--now","--offset","--port","--profile","--query","--ready-file","--room","--seed","--sentiment","--source","--status","--timeout","--to","--top","--type","--tz","-g","-q"];
