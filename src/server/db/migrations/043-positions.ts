/** The z and the player of positions, and the planes and floors of rooms. Positions that exist have neither z nor player. */
import { type Kysely, PostgresAdapter } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await runScript(db, [
    dropIndexes,
    isPostgres ? alterChunks : replaceChunks,
    addColumns("position_blocks"),
    `alter table position_slices add column player text default '' not null`,
    createIndexes,
    rooms,
  ]);
}

const dropIndexes = `
  drop index position_chunks_by_room;
  drop index position_blocks_by_room`;

const addColumns = (table: string) => `
  alter table ${table} add column player text default '' not null;
  alter table ${table} add column z_min double precision;
  alter table ${table} add column z_max double precision;
  alter table ${table} add column z blob`;

const alterChunks = `${addColumns("position_chunks")};
  alter table position_chunks drop constraint position_chunks_event_key;
  alter table position_chunks add constraint position_chunks_player_key
    primary key (game_id, session_id, seq, event, room, player)`;

/** SQLite cannot change the key of a table. */
const chunkColumns =
  "game_id, session_id, seq, event, source, room, build, environment, points, x_min, x_max, y_min, y_max, xy";
const replaceChunks = `
  create table position_chunks_2 (
    game_id text not null, session_id text not null, seq integer not null, event text not null,
    source text not null, room text not null, build text not null, environment text not null,
    points integer not null, x_min double precision not null, x_max double precision not null,
    y_min double precision not null, y_max double precision not null, xy blob not null,
    player text default '' not null, z_min double precision, z_max double precision, z blob,
    constraint position_chunks_player_key primary key (game_id, session_id, seq, event, room, player)
  );
  insert into position_chunks_2 (${chunkColumns}) select ${chunkColumns} from position_chunks;
  drop table position_chunks;
  alter table position_chunks_2 rename to position_chunks`;

/** The extents of rooms are read from these indexes only. */
const createIndexes = `
  create index position_chunks_by_room on position_chunks (
    game_id, event, source, room, build, environment, session_id, seq, player, points,
    x_min, x_max, y_min, y_max, z_min, z_max
  );
  create index position_blocks_by_room on position_blocks (
    game_id, event, source, room, build, environment, player, id, points,
    x_min, x_max, y_min, y_max, z_min, z_max
  )`;

const rooms = `
  create table room_settings (
    game_id text not null, room text not null, plane text, floors text, sent_plane text,
    constraint room_settings_key primary key (game_id, room)
  )`;
