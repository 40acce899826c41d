/**
 * Knows whether a person still has a conversation open, in a program that is not ours to end.
 *
 * The command that gave it to them may be killed and leave the program running. So the program's own
 * process writes its pid into a file before it becomes the program, and only if that file is not there
 * yet: who looks when the command is gone makes the file first, and nothing starts after that.
 */
import { statSync, writeFileSync } from "node:fs"
import { readIdentity } from "./identity.ts"
import { readPlainText } from "./plain-file.ts"
import { MARK_VARIABLE, readProcess } from "./process-table.ts"

export type Attachment = {
  /** The command in which a person asked for it. */
  readonly pid: number
  /** Null: it was gone already. */
  readonly identity: string | null
  /** Where the program says its pid; absolute. */
  readonly file: string
  /** In the program's environment. */
  readonly mark: string
}

type Program = {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const ANNOUNCE = 'set -C; echo $$ > "$1" || exit 1; shift; exec "$@"'
const NOBODY = "nobody\n"
/** Between making the file and writing to it a process needs an instant. */
const WRITE_MS_MAX = 10_000

/** The same program, which says that it runs, or does not start once nobody waits for it. */
export function announced({ program, args, env }: Program, { file, mark }: Attachment) {
  return {
    program: "/bin/sh",
    args: ["-c", ANNOUNCE, "coppice attach", file, program, ...args],
    env: { ...env, [MARK_VARIABLE]: mark },
  }
}

/** @returns the pid of who has the conversation: the command, or else the program that it left. */
export function findAttached(attachment: Attachment): number | undefined {
  const { pid, identity, mark } = attachment
  if (identity !== null && readIdentity(pid) === identity) return pid
  if (isNobodys(attachment)) return undefined
  const said = (readPlainText(attachment.file) ?? "").trim()
  if (said === "") return isBeingWritten(attachment) ? pid : undefined
  return readProcess(Number(said))?.carries(mark) ? Number(said) : undefined
}

/** Sees to it that no program starts any more, where none has. */
function isNobodys({ file }: Attachment): boolean {
  try {
    writeFileSync(file, NOBODY, { flag: "wx" })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EEXIST") return false
    if (code === "ENOENT") return true // without its folder no program starts either
    throw error
  }
}

const isBeingWritten = ({ file }: Attachment) => Date.now() - statSync(file).mtimeMs < WRITE_MS_MAX
