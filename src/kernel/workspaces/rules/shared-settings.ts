/** Settings of a repository that all of its checkouts obey, and their changes while tasks run. Pure. */
import { shellWord } from "../../../base/text/shell-word.ts"

/** Settings of where the files are, which ones are there, how they look, and who commits. */
const SHARED = [
  /^core\.(attributesfile|autocrlf|bare|eol|excludesfile|filemode|hookspath|ignorecase)$/,
  /^(core\.(sparsecheckout|sparsecheckoutcone|symlinks|worktree)|user\.(signingkey|useconfigonly))$/,
  /^((author|committer|user)\.(email|name)|extensions\..*|include(if\..*)?\.path)$/s,
]

/** Values by key. */
export type SharedSettings = Readonly<Record<string, string>>

/** Stored as JSON. */
export type SettingChange = {
  readonly key: string
  /** The shared configuration. */
  readonly file: string
  /** Null: it was not set. */
  readonly from: string | null
  /** Null: it is not set any more. */
  readonly to: string | null
  /** The tasks that were at work between the two looks. */
  readonly tasks: readonly number[]
  readonly atMs: number
}

type Setting = { readonly key: string; readonly value: string }

/** @param config of the repository's own: raw bytes, weakest first. */
export function sharedSettings(config: readonly Setting[]): SharedSettings {
  const shared = config.filter(({ key }) => SHARED.some((one) => one.test(key)))
  return Object.fromEntries(shared.map(({ key, value }) => [text(key), text(value)]))
}

type Difference = Pick<SettingChange, "key" | "from" | "to">

export function compareSettings(before: SharedSettings, now: SharedSettings): Difference[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...keys].flatMap((key) => {
    const [from, to] = [before[key] ?? null, now[key] ?? null]
    return from === to ? [] : { key, from, to }
  })
}

/**
 * The changes that stand after this look. A key that changes again keeps the value that it had at first,
 * and one that is back at that is no change. A change while no task was at work is a person's, and settles the key.
 */
export function standingChanges(
  standing: readonly SettingChange[],
  found: readonly Difference[],
  look: Pick<SettingChange, "file" | "tasks" | "atMs">,
): SettingChange[] {
  const others = standing.filter(({ key }) => !found.some((one) => one.key === key))
  if (look.tasks.length === 0) return others
  const changed = found.flatMap(({ key, from, to }) => {
    const earlier = standing.find((one) => one.key === key)
    const first = earlier ? earlier.from : from
    const tasks = [...new Set([...(earlier?.tasks ?? []), ...look.tasks])]
    return first === to ? [] : { ...look, key, from: first, to, tasks }
  })
  return [...others, ...changed]
}

/** For a person: the change, the tasks and the way back. */
export function describeSetting({ key, file, from, to, tasks, atMs }: SettingChange): string {
  const who = tasks.length === 1 ? `task ${tasks[0]} was` : `tasks ${tasks.join(", ")} were`
  const git = `git config --file ${shellWord(file)}`
  const undo =
    from === null
      ? `${git} --unset-all ${shellWord(key)}`
      : `${git} --replace-all ${shellWord(key)} ${shellWord(from)}`
  return `${key} of ${file}, which all checkouts obey, ${was(from)} and ${is(to)} since ${new Date(atMs).toISOString()}, when ${who} at work. To take it back: \`${undo}\``
}

const was = (value: string | null) => (value === null ? "was not set" : `was ${quoted(value)}`)
const is = (value: string | null) => (value === null ? "is not set" : `is ${quoted(value)}`)
const quoted = (value: string) => `"${value}"`
const text = (raw: string) => Buffer.from(raw, "latin1").toString("utf8")
