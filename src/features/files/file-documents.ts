/** Describes the files that go with a task, to people and to runtimes. */
import { join } from "node:path"
import { iso } from "../../api/documents/row-documents.ts"
import type { TaskId } from "../../base/ids.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { Home } from "../../kernel/home.ts"
import { readPlain } from "../../kernel/process/plain-file.ts"
import type { TurnImage } from "../../kernel/runtime/runtime.ts"
import { filesOf } from "../../kernel/tasks/agent-folders.ts"
import { findFile, listFiles, listImages, type TaskFile } from "./rows.ts"
import type { FileDocument, FilesDocument } from "./wire.ts"

type State = Pick<Home, "stateDir">

const pathOf = ({ stateDir }: State, { task, keptAs }: Pick<TaskFile, "task" | "keptAs">): string =>
  join(filesOf(stateDir, task), keptAs)

/** The images that go with a turn, for runtimes that take them. */
export const imagesOf =
  (home: Pick<Home, "db" | "stateDir">) =>
  (task: TaskId, n: number): readonly TurnImage[] =>
    listImages(home.db, { task, n }).flatMap((file) =>
      file.type === null ? [] : { path: pathOf(home, file), type: file.type },
    )

const documentOf = (home: State, file: TaskFile): FilesDocument["files"][number] => ({
  id: String(file.id),
  task: String(file.task),
  name: file.name,
  type: file.type,
  bytes: file.bytes,
  by: file.byAgent ? "agent" : "person",
  at: iso(file.atMs),
  path: pathOf(home, file),
})

export const filesDocument = (
  home: Pick<Home, "db" | "stateDir">,
  task: TaskId,
): FilesDocument => ({
  files: listFiles(home.db, task).map((file) => documentOf(home, file)),
})

/** @throws {DaemonError} `files.unknown` (user) */
export function fileDocument(home: Pick<Home, "db" | "stateDir">, ref: string): FileDocument {
  const file = /^\d{1,15}$/.test(ref) ? findFile(home.db, Number(ref)) : undefined
  const bytes = file && readPlain(pathOf(home, file))
  if (!bytes)
    throw new DaemonError("files.unknown", `There is no file ${ref}.`, [
      "`coppice show <task>` lists the files of a task.",
    ])
  return { ...documentOf(home, file), data: bytes.toString("base64") }
}
