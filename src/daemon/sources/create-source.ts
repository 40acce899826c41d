/** Makes the source that a part of coppice.yml describes: the one place that names concrete ones. */
import { join } from "node:path"
import { assert } from "../../core/assert.ts"
import type { SourceConfig } from "../../core/config.ts"
import { filesSource } from "../../sources/files.ts"
import type { Source } from "../../sources/source.ts"

/** @param home real path. */
export function createSource(home: string, { folder }: SourceConfig): Source {
  assert(folder !== undefined, "a source of files has a folder")
  return filesSource(join(home, folder))
}
