/**
 * Keeps a copy of a conversation's transcript in the state folder, and puts it back when the program
 * has lost its own: on a new machine, or after its folder was cleaned.
 *
 *   <kept>/<session>/<path below the program's folder>       for its owner alone, like the log
 *
 * A copy is written whole, at the end of a turn, and ends with a whole line. It never replaces a file
 * of the program, nor a longer copy. No symbolic link below the program's folder is followed, so
 * neither reading nor writing leaves it. A failure is no failure of the turn.
 */
import {
  chmodSync,
  type Dirent,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, sep } from "node:path"
import { isTransient } from "../../base/errors.ts"
import { findPlain, readLarge, writeWhole } from "../../kernel/process/plain-file.ts"
import type { Conversation, SessionEnd, SessionStart } from "../../kernel/runtime/runtime.ts"

export type Transcript = {
  /** The folder for the copies of all conversations. */
  readonly kept: string
  /** Names the folder of the copy: the id of the session. */
  readonly session: string
  /** The program's folder; it may be a link itself. */
  readonly root: string
  /** The path of the folder below `root` that has the transcripts. */
  readonly below: string
  /** Whether a file there is the transcript. */
  isIt(name: string): boolean
}

/** A longer one is not kept: it is read into memory. */
const BYTES_MAX = 64 * 1024 * 1024
/** Codex: year, month, day. */
const DEPTH_MAX = 3
/** A search ends after so many, since it blocks the daemon. */
const FOLDERS_MAX = 5_000
const NEWLINE = 0x0a

/** Copies what the program has written so far. */
export async function keepTranscript(transcript: Transcript): Promise<void> {
  const { root, below } = transcript
  await quietly(async () => {
    const path = findFile(root, below, transcript.isIt)
    if (path === undefined) return
    const data = wholeLines(
      await readLarge(join(root, path), { follows: false, bytesMax: BYTES_MAX, within: root }),
    )
    const copy = join(folderOf(transcript), path)
    const there = lstatSync(copy, { throwIfNoEntry: false })?.size ?? 0
    if (data.length <= there) return
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 })
    writeWhole(copy, data)
    chmodSync(copy, 0o600)
  })
}

/** @returns whether the transcript was put back; false: the program has one, or there is no copy. */
export async function restoreTranscript(transcript: Transcript): Promise<boolean> {
  const { root, below, isIt } = transcript
  const folder = folderOf(transcript)
  const put = await quietly(async () => {
    const path = findFile(folder, below, isIt)
    if (path === undefined || findFile(root, below, isIt) !== undefined) return false
    const data = wholeLines(findPlain(join(folder, path), { follows: false, bytesMax: BYTES_MAX }))
    if (data.length === 0 || !makeFolders(root, dirname(path))) return false
    const draft = join(root, `${path}.new`)
    rmSync(draft, { force: true })
    writeFileSync(draft, data, { flag: "wx", mode: 0o600 })
    linkSync(draft, join(root, path)) // unlike a rename, it replaces nothing
    rmSync(draft)
    return true
  })
  return put ?? false
}

const folderOf = ({ kept, session }: Pick<Transcript, "kept" | "session">) => join(kept, session)

/** The path below `root`, through real folders only. The newest names come first: Codex sorts by day. */
function findFile(
  root: string,
  below: string,
  isIt: Transcript["isIt"],
  left = { folders: FOLDERS_MAX, depth: DEPTH_MAX },
): string | undefined {
  if (left.folders-- <= 0 || !isRealFolder(join(root, below))) return undefined
  const entries = listFolder(join(root, below))
  const file = entries.find((entry) => entry.isFile() && isIt(entry.name))
  if (file) return join(below, file.name)
  if (left.depth === 0) return undefined
  left.depth--
  try {
    for (const entry of entries.filter((one) => one.isDirectory())) {
      const found = findFile(root, join(below, entry.name), isIt, left)
      if (found !== undefined) return found
    }
    return undefined
  } finally {
    left.depth++
  }
}

/** A folder may be gone by now, or another user's: then no file of ours is there. */
function listFolder(path: string): Dirent[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? 1 : -1))
  } catch (error) {
    if (isTransient(error)) throw error
    return []
  }
}

/** @returns false if something else is in the way. */
function makeFolders(root: string, path: string): boolean {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  let folder = root
  for (const name of path.split(sep)) {
    folder = join(folder, name)
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    if (!isRealFolder(folder)) return false
  }
  return true
}

const isRealFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** The program may be writing the last line. */
const wholeLines = (data: Buffer = Buffer.alloc(0)): Buffer =>
  data.subarray(0, data.lastIndexOf(NEWLINE) + 1)

/** The disk may be full, or the file another's: then there is no copy. */
async function quietly<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error // ours
    return undefined
  }
}

type Ids = Pick<Conversation, "id" | "programId">

/** How a program keeps its transcripts. */
export type ProgramFiles = Pick<Transcript, "root" | "below"> & {
  /** The end of the name of the file; undefined: there is none yet. */
  endOf(of: Ids): string | undefined
}

/** Runs a session whose transcript is put back before it, if need be, and kept at the end of each turn. */
export async function withTranscript(
  session: SessionStart,
  { endOf, ...files }: ProgramFiles,
  run: (session: SessionStart) => Promise<SessionEnd>,
): Promise<SessionEnd> {
  const { conversation, place, endTurn } = session
  const { transcripts: kept } = place
  if (kept === undefined) return await run(session)
  let { programId } = conversation
  const transcriptOf = (of: Ids): Transcript | undefined => {
    const end = endOf(of)
    return end === undefined
      ? undefined
      : { ...files, kept, session: of.id, isIt: (name) => name.endsWith(end) }
  }
  const restore = async (of: Ids) => {
    const found = transcriptOf(of)
    if (found && (await restoreTranscript(found)))
      session.report.event({ kind: "notice", text: "Its transcript was gone, and was put back." })
  }
  const keep = async () => {
    const found = transcriptOf({ id: conversation.id, programId })
    if (found) await keepTranscript(found)
  }
  if (conversation.resume) await restore(conversation)
  if (conversation.forkOf) await restore(conversation.forkOf)
  try {
    return await run({
      ...session,
      conversation: {
        ...conversation,
        learnId: (id) => {
          programId = id
          conversation.learnId(id)
        },
      },
      endTurn: async (end) => {
        await keep()
        return await endTurn(end)
      },
    })
  } finally {
    try {
      await keep() // the program has written its last lines
    } catch {
      // How the session ended matters more.
    }
  }
}
