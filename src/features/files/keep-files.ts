/**
 * Keeps the bytes of files that go with a task, in `files/<task>/` of the state folder.
 *
 * A file is written before its record, under a name with its hash. So a crash leaves at most a file
 * without a record. A repeated request writes it again, and it is deleted with its task's folder.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import type { TaskId } from "../../base/ids.ts"
import { bytesText } from "../../base/text/sizes.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { Home } from "../../kernel/home.ts"
import { writeWhole } from "../../kernel/process/plain-file.ts"
import type { FilesToKeep } from "../../kernel/tasks/actions/intake.ts"
import { filesOf, removeFolder } from "../../kernel/tasks/agent-folders.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { imageType, type KeptFiles, safeName } from "../../kernel/tasks/rules/files.ts"
import { addFile, listFiles } from "./rows.ts"

/** Enough for the screenshots of a long day, and too little to fill a disk. */
const FILES_OF_TASK_MAX = 200
const BYTES_OF_TASK_MAX = 100 * 1000 * 1000

type Keeping = Pick<Home, "db" | "world" | "stateDir">

/** Writes the files. @throws {DaemonError} `files.refused` (user) */
export function keepFiles(home: Keeping, { task, files, byAgent }: FilesToKeep): KeptFiles {
  const all = files.map(({ name, data }) => ({ name, data: Buffer.from(data, "base64") }))
  if (all.length > 0) {
    sweepFiles(home)
    refuseTooMuch(home, task, all)
  }
  const folder = filesOf(home.stateDir, task)
  const kept = all.map(({ name, data }) => {
    const digest = createHash("sha256").update(data).digest("hex").slice(0, 12)
    const keptAs = `${digest}-${safeName(name)}`
    const file = { task, name, keptAs, type: imageType(data) ?? null, bytes: data.length, byAgent }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, keptAs)
    writeWhole(path, data)
    return { file, path }
  })
  return {
    paths: kept.map(({ path }) => path),
    record: (message) => {
      for (const { file } of kept) addFile(home.db, { ...file, message }, home.world.nowMs())
    },
  }
}

function refuseTooMuch({ db }: Keeping, task: TaskId, added: readonly { data: Buffer }[]): void {
  const existing = listFiles(db, task)
  const bytes = [...existing.map((one) => one.bytes), ...added.map(({ data }) => data.length)]
  const sum = bytes.reduce((one, other) => one + other, 0)
  if (bytes.length <= FILES_OF_TASK_MAX && sum <= BYTES_OF_TASK_MAX) return
  const limit = `${FILES_OF_TASK_MAX} files and ${bytesText(BYTES_OF_TASK_MAX)}`
  throw new DaemonError("files.refused", `Task ${task} may keep ${limit}, and has no room left.`, [
    "Put further files into the repository, and name them.",
  ])
}

/** Removes the files of tasks that are gone. */
export function sweepFiles({ db, stateDir }: Pick<Home, "db" | "stateDir">): void {
  const folder = dirname(filesOf(stateDir, 0 as TaskId))
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder))
    if (!findTask(db, Number(name) as TaskId)) removeFolder(join(folder, name))
}
