/** Reads the files of `--attach`, which go with words to an agent, or with its progress. */
import { basename, resolve, sep } from "node:path"
import { fs } from "../client/builtins.ts"
import { readSmallBytes } from "../client/read-small.ts"
import { FILES_BYTES_MAX, FILES_MAX } from "../core/files.ts"
import type { SentFiles } from "../core/wire/files.ts"
import type { Values } from "./command.ts"
import { UsageError } from "./errors.ts"

export const ATTACH = {
  type: "string",
  value: "<file>",
  multiple: true,
  about: "Send this file or image, too; repeat for more",
} as const

type Where = {
  readonly cwd: string
  /** The real folders that a file must be in. Default: anywhere. */
  readonly within?: readonly string[]
}

/** @returns nothing without the option. @throws UsageError */
export function attachedFiles(
  values: Values,
  { cwd, within }: Where,
): { readonly files?: SentFiles } {
  const names = values["attach"] as readonly string[] | undefined
  if (names === undefined) return {}
  if (names.length > FILES_MAX)
    throw new UsageError(`--attach takes at most ${FILES_MAX} files, not ${names.length}.`)
  let bytesMax = FILES_BYTES_MAX
  const files = names.map((name) => {
    try {
      const path = fs.realpathSync(resolve(cwd, name))
      if (within && !within.some((folder) => path.startsWith(folder + sep)))
        throw new Error(`it leads to ${path}`)
      const bytes = readSmallBytes(path, bytesMax)
      bytesMax -= bytes.length
      return { name: basename(name), data: bytes.toString("base64") }
    } catch (error) {
      throw new UsageError(`--attach cannot take ${name}: ${(error as Error).message}.`, [
        `It takes plain files, ${FILES_BYTES_MAX} bytes in all.`,
      ])
    }
  })
  return { files }
}

/**
 * An agent shows files of its worktree, or of the folder for temporary files. A link from there to
 * another place is refused: a repository may have brought it.
 */
export function placesOfAgent(env: Readonly<Record<string, string | undefined>>): string[] {
  const folders = [env["COPPICE_WORKTREE_PATH"], env["TMPDIR"] ?? "/tmp"]
  return folders.flatMap((folder) =>
    folder !== undefined && fs.existsSync(folder) ? fs.realpathSync(folder) : [],
  )
}
