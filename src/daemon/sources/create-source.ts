/** Makes the source that a part of coppice.yml describes: the one place that names concrete ones. */
import { join } from "node:path"
import { assert } from "../../core/assert.ts"
import type { SourceConfig } from "../../core/config.ts"
import { filesSource } from "../../sources/files.ts"
import { githubSource } from "../../sources/github.ts"
import { gitlabSource } from "../../sources/gitlab.ts"
import type { Source } from "../../sources/source.ts"
import { findToken } from "./token.ts"

const TRACKERS = {
  github: { create: githubSource, api: "https://api.github.com" },
  gitlab: { create: gitlabSource, api: "https://gitlab.com/api/v4" },
}

/** @param home real path. */
export function createSource(home: string, config: SourceConfig, nowMs: () => number): Source {
  const { type, folder, repo, tokenVariable: variable } = config
  if (type === "files") {
    assert(folder !== undefined, "a source of files has a folder")
    return filesSource(join(home, folder))
  }
  assert(repo !== undefined, "a tracker has a repository")
  const { create, api } = TRACKERS[type]
  const { apiUrl = api } = config
  const token = findToken({ type, api: apiUrl, variable }, process.env, nowMs)
  return create({ ...config, repo, apiUrl }, { token, nowMs })
}
