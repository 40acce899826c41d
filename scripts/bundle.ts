/**
 * Bundles the JavaScript of the package with its dependencies, and adds the files that it reads.
 *
 * So an installation is one package. It needs no registry, no compiler and a tenth of the room.
 */
import { cpSync, globSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative, resolve } from "node:path"
import { type RolldownOutput, rolldown } from "rolldown"
import { licencesOf } from "./licences.ts"

const SOURCE = resolve(import.meta.dirname, "../src")
/** The entry points for users of the library and for bin/coppice.js, by their names in the bundle. */
const ENTRIES = { index: join(SOURCE, "index.ts"), launch: join(SOURCE, "launch.ts") }
/** SQLite, compiled for each platform. Coppice does not run on Windows. */
const COMPILED = "prebuilds/{linux,linuxmusl,darwin}-{x64,arm64}.node"
/** Node-pty, of which npm installs only the code for this platform unless it is asked for more. */
const TERMINALS = ["linux", "darwin"].flatMap((os) => ["x64", "arm64"].map((cpu) => `${os}-${cpu}`))

/**
 * Modules that this many entry points share, commands included, form one chunk: each further file makes the
 * start of a command half a millisecond longer. With 10, zod and yaml would be in that chunk.
 */
const SHARED_BY_MIN = 20

/** The licence of the Agent SDK does not let us pass it on, so its user installs it. */
export const EXTERNAL = /^@anthropic-ai\//

/** @param dist the folder to write to. */
export async function writeBundle(
  dist: string,
  input: Readonly<Record<string, string>> = ENTRIES,
): Promise<void> {
  const bundle = await rolldown({
    input,
    external: EXTERNAL,
    platform: "node",
    // better-sqlite3 finds its compiled code from the folder of its own module.
    transform: { define: { __dirname: "import.meta.dirname" } },
  })
  // As deep as the rooms of src (`src/kernel/store`), so that a bundle finds the files that its modules found.
  const output = await bundle.write({
    dir: dist,
    chunkFileNames: "shared/code/[name].js",
    codeSplitting: { groups: [{ name: "common", minShareCount: SHARED_BY_MIN }] },
    comments: { jsdoc: false }, // every command would read them, before it does anything
  })
  await bundle.close()

  const plain = globSync(join(SOURCE, "**/*.*"), { exclude: (path) => /\.(ts|md)$/.test(path) })
  for (const path of plain) cpSync(path, join(dist, relative(SOURCE, path)))
  for (const path of globSync(COMPILED, { cwd: sqliteFolder() }))
    cpSync(join(sqliteFolder(), path), join(dist, "shared", path))
  for (const [platform, files] of terminalFiles())
    for (const file of files)
      cpSync(file, join(dist, `shared/prebuilds/node-pty-${platform}`, basename(file)))
  const modules = [...modulesIn(output), ptyManifest()]
  writeFileSync(join(dist, "licences.txt"), licencesOf(modules))
}

/** The paths of all modules in a bundle. */
export function modulesIn({ output }: RolldownOutput): readonly string[] {
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []))
}

/** The compiled files of node-pty by platform; none where its package is not installed. */
export function terminalFiles(): ReadonlyMap<string, readonly string[]> {
  const folder = dirname(dirname(ptyManifest()))
  const filesOf = (platform: string) =>
    globSync("{pty.node,spawn-helper}", { cwd: join(folder, `node-pty-${platform}`) }).map((name) =>
      join(folder, `node-pty-${platform}`, name),
    )
  return new Map(TERMINALS.map((platform) => [platform, filesOf(platform)]))
}

/** A file of node-pty's package, which has its licence. */
export function ptyManifest(): string {
  return createRequire(import.meta.url).resolve("@lydell/node-pty/package.json")
}

/** The folder of better-sqlite3. */
export function sqliteFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))
}
