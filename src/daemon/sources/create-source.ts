/** Makes the source that a part of coppice.yml describes: the one place that names concrete ones. */
import { join } from "node:path"
import { assert } from "../../core/assert.ts"
import type { SourceConfig } from "../../core/config.ts"
import { filesSource } from "../../sources/files.ts"
import { githubSource } from "../../sources/github.ts"
import type { Source } from "../../sources/source.ts"
import { findToken } from "./token.ts"

/** @param home real path. */
export function createSource(home: string, config: SourceConfig, nowMs: () => number): Source {
  const { folder, repo } = config
  if (config.type === "files") {
    assert(folder !== undefined, "a source of files has a folder")
    return filesSource(join(home, folder))
  }
  assert(repo !== undefined, "a tracker has a repository")
  const token = findToken(config, process.env, nowMs)
  return githubSource({ ...config, repo }, { token, nowMs })
}
