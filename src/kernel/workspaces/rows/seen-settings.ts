/** The shared settings of each repository when we last looked. */
import type { TaskId } from "../../../base/ids.ts"
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { type SqlRow, sql, transaction } from "../../store/sql.ts"
import type { SettingChange, SharedSettings } from "../rules/shared-settings.ts"

export type SeenSettings = {
  readonly repo: string
  readonly settings: SharedSettings
  /** The last event at that look. */
  readonly seq: number
  readonly changed: readonly SettingChange[]
}

const COLUMNS = "select repo, settings, seq, changed from seen_settings"

const decode = ({ settings, changed, ...rest }: SqlRow) =>
  ({
    ...rest,
    settings: JSON.parse(`${settings}`),
    changed: JSON.parse(`${changed}`),
  }) as SeenSettings

export const listSeenSettings = (db: Db): SeenSettings[] => sql(db, COLUMNS).list().map(decode)

export function findSeenSettings(db: Db, repo: string): SeenSettings | undefined {
  const row = sql(db, `${COLUMNS} where repo = :repo`).find({ repo })
  return row && decode(row)
}

const RECORD = `
  insert into seen_settings (repo, settings, seq, changed)
  values (:repo, :settings, (select coalesce(max(seq), 0) from events), :changed)
  on conflict (repo) do update set
    settings = excluded.settings, seq = excluded.seq, changed = excluded.changed`

/** A change, and the sentence that names it. */
export type Told = { readonly change: SettingChange; readonly text: string }

/** Announces each change to each of its tasks, as event `repo.setting_changed`. */
export function recordSeenSettings(
  db: Db,
  { repo, settings, changed }: Omit<SeenSettings, "seq">,
  told: readonly Told[],
): void {
  const row = { repo, settings: JSON.stringify(settings), changed: JSON.stringify(changed) }
  transaction(db, () => {
    sql(db, RECORD).run(row)
    for (const { change, text } of told)
      for (const task of change.tasks) {
        const { atMs, ...facts } = change
        const data = { repo, ...facts, notices: [text] }
        appendEvent(db, { type: "repo.setting_changed", task: task as TaskId, data }, atMs)
      }
  })
}

const AT_WORK = `
  select distinct task from task_repos where path = :repo and task in (
    select task from turns where going_since is not null and ended_at is null
    union select task from processes
    union select task from events where seq > :seq and type in
      ('turn.ended', 'session.ended', 'workspace.report', 'gate.finished'))
  order by task`

/** The tasks of the repository whose turns, set-up or gates ran after the event `seq`, or run now. */
export const listAtWork = (db: Db, { repo, seq }: Pick<SeenSettings, "repo" | "seq">): number[] =>
  sql(db, AT_WORK)
    .list({ repo, seq })
    .map(({ task }) => task as number)
