/**
 * Knows whether a person still has a conversation open, in a program that Coppice must not end.
 *
 * The command that started the program may be killed and leave the program running. So the
 * program's own process first writes its pid into a file, which must not exist yet. To check after
 * the command has gone, we create the file first; then no program can start any more.
 */
import { statSync, writeFileSync } from "node:fs"
import { isYoung } from "../../base/wall-wait.ts"
import { readPlainText } from "../../kernel/process/plain-file.ts"
import { readIdentity } from "../../kernel/process/process-identity.ts"
import { MARK_VARIABLE, readProcess } from "../../kernel/process/process-table.ts"

export type Attachment = {
  /** The command with which a person opened the conversation. */
  readonly pid: number
  /** Null: the command had ended already. */
  readonly identity: string | null
  /** Where the program writes its pid; absolute. */
  readonly file: string
  /** A mark in the program's environment. */
  readonly mark: string
}

type Program = {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const ANNOUNCE = 'set -C; echo $$ > "$1" || exit 1; shift; exec "$@"'
const NOBODY = "nobody\n"
/** A process needs a moment between creating the file and writing to it. */
const WRITE_MS_MAX = 10_000

/** The same program, wrapped: it writes its pid first, or does not start if the file exists. */
export function announced({ program, args, env }: Program, { file, mark }: Attachment) {
  return {
    program: "/bin/sh",
    args: ["-c", ANNOUNCE, "coppice attach", file, program, ...args],
    env: { ...env, [MARK_VARIABLE]: mark },
  }
}

/**
 * @returns the pid of the command, or of the program that it left running, whichever has the
 *   conversation.
 */
export function findAttached(attachment: Attachment): number | undefined {
  const { pid, identity, mark } = attachment
  if (identity !== null && readIdentity(pid) === identity) return pid
  if (claimUnused(attachment)) return undefined
  const said = (readPlainText(attachment.file) ?? "").trim()
  if (said === "") return isBeingWritten(attachment) ? pid : undefined
  return readProcess(Number(said))?.carries(mark) ? Number(said) : undefined
}

/** Makes sure that no program starts any more, if none has yet. */
function claimUnused({ file }: Attachment): boolean {
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

const isBeingWritten = ({ file }: Attachment) =>
  isYoung(statSync(file).mtimeMs, WRITE_MS_MAX, Date.now())
