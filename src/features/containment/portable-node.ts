/**
 * The Node that runs us, so that a container of any image can run it: with the libraries of this machine,
 * and the loader that knows where they are. An image may have another C library, or none.
 */
import { realpathSync } from "node:fs"
import { basename, isAbsolute } from "node:path"
import type { Fence } from "../../kernel/process/fence.ts"

/** Where a container shows them. */
const FOLDER = "/run/coppice/lib"
const LOADER = /^ld-.*\.so/

export type PortableNode = {
  /** The command that starts it in the container. */
  readonly command: readonly string[]
  readonly shown: Fence["fixed"]
}

let known: readonly string[] | undefined

/** @param program the path of our Node in the container. */
export function portableNode(program: string): PortableNode {
  known ??= listLibraries()
  const shown = known.map((path) => ({ from: realpathSync(path), at: insideOf(path) }))
  const loader = known.find((path) => LOADER.test(basename(path)))
  if (loader === undefined) return { command: [program], shown: [] } // Node needs no libraries
  return { command: [insideOf(loader), "--library-path", FOLDER, program], shown }
}

const insideOf = (path: string): string => `${FOLDER}/${basename(path)}`

/** The libraries of C and C++. Compiled modules of packages (`.node`) are not needed. */
function listLibraries(): readonly string[] {
  Object.assign(process.report, { excludeNetwork: true }) // else it looks up names of all peers
  const { sharedObjects } = process.report.getReport() as { readonly sharedObjects: string[] }
  return sharedObjects.filter((path) => isAbsolute(path) && /\.so(\.|$)/.test(path))
}
