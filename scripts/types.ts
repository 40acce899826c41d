/**
 * Writes the types of the library: the declarations that src/index.ts leads to, and those of zod, of
 * which they are made. A user of the library installs no other package for them.
 */
import { execFileSync } from "node:child_process"
import { cpSync, globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "..")
const ZOD = join(ROOT, "node_modules/zod")
/** In code; examples in comments are lines that begin with an asterisk. */
const IMPORTED = /(?<=^(?! *\*).*\b(?:from |import |import\()")[^"]+(?=")/gm

/** @param dist the folder to write to. @throws Error if the compiler finds a mistake. */
export function writeTypes(dist: string): void {
  using draft = mkdtempDisposableSync(join(tmpdir(), "coppice-types-"))
  const emit = ["-p", join(ROOT, "tsconfig.build.json"), "--outDir", draft.path]
  execFileSync("tsc", emit, { stdio: "inherit" })
  for (const path of globSync("**/*.d.ts", { cwd: draft.path })) {
    const zod = relative(dirname(path), "zod/index.js").replace(/^(?!\.)/, "./")
    const text = readFileSync(join(draft.path, path), "utf8")
    writeFileSync(join(draft.path, path), text.replaceAll('"zod"', JSON.stringify(zod)))
  }
  for (const path of globSync("{index.d.ts,v4/**/*.d.ts}", { cwd: ZOD }))
    cpSync(join(ZOD, path), join(draft.path, "zod", path))
  for (const path of reached(draft.path)) cpSync(join(draft.path, path), join(dist, path))
}

/** @returns paths in `folder`: its index.d.ts, and all that it leads to. */
function reached(folder: string): ReadonlySet<string> {
  const found = new Set(["index.d.ts"])
  for (const path of found) {
    for (const [name] of readFileSync(join(folder, path), "utf8").matchAll(IMPORTED)) {
      if (name.startsWith(".")) found.add(declarationOf(join(dirname(path), name)))
      else if (!name.startsWith("node:")) throw new Error(`the types of ${path} need ${name}`)
    }
  }
  return found
}

const declarationOf = (path: string): string => path.replace(/(\.d)?\.[jt]s$/, ".d.ts")
