/**
 * A new branch, made as git makes one where refs are files: under git's own lock, its log first, by
 * one rename. To start a git for it takes twenty times as long.
 *
 * Only what is plain is done here: a name of letters, digits and the like that no branch has, and
 * that is in no other's way. Of anything else nothing is changed; git does it, or says why not.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Oid, RefName } from "../../core/ids.ts"
import { UnreadableFileError } from "../../process/errors.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { type Identity, identLine } from "../repository/identity.ts"
import { areRefsFiles, readHeadFile } from "./head-file.ts"
import { takeRefLock } from "./ref-draft.ts"

export type NewBranch = {
  readonly ref: RefName
  /** A commit that is there. */
  readonly to: Oid
  /** For its log; one line. */
  readonly reason: string
  readonly committer: Identity
}

/** A part of git's rules: no dot or dash at the start, no dot at the end, no two in a row. */
const PLAIN = /^refs\/heads(\/[A-Za-z0-9_][A-Za-z0-9_+-]*(\.[A-Za-z0-9_+-]+)*)+$/
/** More than this is read faster by git, which looks at a part of it. */
const PACKED_BYTES_MAX = 4 * 1024 * 1024

/**
 * @param commonDir of a repository whose files are written as git does by default: see settings.ts.
 * @returns whether it was made. Nothing has changed where it was not.
 * @throws {UnreadableFileError}
 */
export function writeNewBranch(commonDir: string, branch: NewBranch): boolean {
  const { ref, to } = branch
  if (!PLAIN.test(ref) || /\.lock(\/|$)/.test(ref) || !areRefsFiles(commonDir)) return false
  const head = readHeadFile(commonDir)
  if (!head || ("ref" in head && head.ref === ref)) return false // it has a log of its own to write
  const file = join(commonDir, ref)
  try {
    mkdirSync(dirname(file), { recursive: true })
    using lock = takeRefLock(commonDir, ref, `${to}\n`)
    if (isThere(file) || isPacked(commonDir, ref)) return false
    const log = join(commonDir, "logs", ref)
    if (isThere(log)) return false // left of a branch that was never made: git goes on with it
    try {
      writeLog(log, branch)
      lock.commit()
    } catch (error) {
      rmSync(log, { force: true })
      throw error
    }
    return true
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error // git would wait for ever too
    return false // git says why
  }
}

/** A folder may hold other branches. */
const isThere = (file: string) => lstatSync(file, { throwIfNoEntry: false }) !== undefined

/** Whether the packed branches have it, or one that is named like a folder of it, or the other way round. */
function isPacked(commonDir: string, ref: RefName): boolean {
  const file = join(commonDir, "packed-refs")
  const size = lstatSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > PACKED_BYTES_MAX) return true // perhaps
  const packed = readPlainText(file, "latin1") ?? ""
  const parts = ref.split("/")
  const upwards = parts.map((_, at) => parts.slice(0, at + 1).join("/"))
  return packed.includes(` ${ref}/`) || upwards.some((name) => packed.includes(` ${name}\n`))
}

function writeLog(log: string, { to, reason, committer }: NewBranch): void {
  const entry = `${"0".repeat(to.length)} ${to} ${identLine(committer, Date.now())}\t${reason}\n`
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(log, Buffer.from(entry, "latin1"), { flag: "wx" })
}
