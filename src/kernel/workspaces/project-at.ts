/** Reads a project from a commit: like {@link readProject}, without a checkout. */

import type { GitPath, Oid } from "../../base/ids.ts"
import { readBlobAt } from "../git/ask/cat-file.ts"
import { listNames } from "../git/ask/ls-tree.ts"
import { FILES_READ, FOLDER_READ, type Project } from "./rules/ecosystems/project.ts"

/** A longer manifest is not read, so nothing is guessed from it. */
const MANIFEST_BYTES_MAX = 1024 * 1024

export async function readProjectAt(repo: string, commit: Oid): Promise<Project> {
  const files = await listNames(repo, commit)
  const below = files.includes(FOLDER_READ) ? await listNames(repo, commit, FOLDER_READ) : []
  const texts: Record<string, string> = {}
  for (const name of FILES_READ.filter((manifest) => files.includes(manifest))) {
    const blob = await readBlobAt(repo, commit, name as GitPath, MANIFEST_BYTES_MAX)
    if (blob) texts[name] = blob.toString("utf8")
  }
  return { files: new Set([...files, ...below.map((name) => `${FOLDER_READ}/${name}`)]), texts }
}
