/** Reads the files of `--attach`, which go with a message to an agent, or with its progress. */
import { basename, resolve, sep } from "node:path"
import { fs } from "../../api/client/node-builtins.ts"
import { readSmallBytes } from "../../api/client/read-small.ts"
import type { SentFiles } from "../../features/files/wire.ts"
import { FILES_BYTES_MAX, FILES_MAX, imageType } from "../../kernel/tasks/rules/files.ts"
import type { Shell, Values } from "./command.ts"
import { UsageError } from "./errors.ts"

export const ATTACH = {
  type: "string",
  value: "<file>",
  multiple: true,
  about: "Send this file or image, too; - is stdin",
} as const

const STDIN = "-"

type Where = Pick<Shell, "cwd" | "readStdinBytes"> & {
  /** The real folders that a file must be in. Default: anywhere. */
  readonly within?: readonly string[]
  /** The text that goes with the files is on stdin. */
  readonly isStdinTaken?: boolean
}

/** @returns nothing without the option. @throws UsageError */
export async function attachedFiles(
  values: Values,
  where: Where,
): Promise<{ readonly files?: SentFiles }> {
  const names = values["attach"] as readonly string[] | undefined
  if (names === undefined) return {}
  if (names.length > FILES_MAX)
    throw new UsageError(`--attach takes at most ${FILES_MAX} files, not ${names.length}.`)
  refuseStdinTwice(names, where)
  let bytesMax = FILES_BYTES_MAX
  const files: SentFiles = []
  for (const name of names)
    try {
      const file =
        name === STDIN ? await stdinFile(where, bytesMax) : plainFile(name, where, bytesMax)
      bytesMax -= file.bytes.length
      files.push({ name: file.name, data: file.bytes.toString("base64") })
    } catch (error) {
      throw new UsageError(`--attach cannot take ${name}: ${(error as Error).message}.`, [
        `It takes plain files, ${FILES_BYTES_MAX} bytes in all, and \`-\` for stdin.`,
      ])
    }
  return { files }
}

function refuseStdinTwice(names: readonly string[], { isStdinTaken = false }: Where): void {
  const count = names.filter((name) => name === STDIN).length
  if (count > 0 && isStdinTaken)
    throw new UsageError("stdin cannot be both the text and a file of --attach.", [
      "Give the text as an argument.",
    ])
  if (count > 1) throw new UsageError("stdin is one file: `--attach -` can be given once.")
}

type Attached = { readonly name: string; readonly bytes: Buffer }

async function stdinFile({ readStdinBytes }: Where, bytesMax: number): Promise<Attached> {
  const bytes = await readStdinBytes(bytesMax)
  if (bytes.length === 0) throw new Error("stdin is empty")
  const kind = imageType(bytes)?.replace("image/", ".") ?? ""
  return { name: `stdin${kind}`, bytes }
}

function plainFile(name: string, { cwd, within }: Where, bytesMax: number): Attached {
  const path = fs.realpathSync(resolve(cwd, name))
  if (within && !within.some((folder) => path.startsWith(folder + sep)))
    throw new Error(`it leads to ${path}`)
  return { name: basename(name), bytes: readSmallBytes(path, bytesMax) }
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
