/**
 * Makes the single executable of this platform: Node, with the program and its files inside.
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html
 */
import { execFileSync } from "node:child_process"
import {
  copyFileSync,
  globSync,
  mkdtempDisposableSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { rolldown } from "rolldown"
import { MIGRATIONS_ASSET, readMigrations } from "../../src/kernel/store/migrations.ts"
import { EXTERNAL, modulesIn, ptyManifest, sqliteFolder, terminalFiles } from "../bundle.ts"
import { writeDashboard } from "../dashboard.ts"
import { licencesOf } from "../licences.ts"
import { PTY } from "./executable-pty.ts"
import { SQLITE } from "./executable-sqlite.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const DASHBOARD = "dist/dashboard"
/** Node looks for the program in a binary by these names. */
const BLOB = "NODE_SEA_BLOB"
const MARKS = [
  "--sentinel-fuse=NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
  "--macho-segment-name=NODE_SEA",
]

export type Executable = {
  /** The texts that must go with it, Node's own included. */
  readonly licences: string
}

/** @param file the path to write to. The Node that runs this becomes part of it. */
export async function writeExecutable(file: string): Promise<Executable> {
  using scratch = mkdtempDisposableSync(join(tmpdir(), "coppice-executable-"))
  const main = join(scratch.path, "main.cjs")
  const modules = await bundle(main)
  const page = await writeDashboard(join(scratch.path, DASHBOARD))
  writeFileSync(join(scratch.path, MIGRATIONS_ASSET), JSON.stringify(readMigrations()))

  const blob = join(scratch.path, "blob")
  const config = join(scratch.path, "config.json")
  const options = {
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: ["--max-semi-space-size=4"], // see start-daemon.ts
    assets: assets(scratch.path),
  }
  writeFileSync(config, JSON.stringify({ main, output: blob, ...options }))
  execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: "pipe" })

  copyFileSync(process.execPath, file)
  const sign = (...args: string[]) =>
    process.platform === "darwin" && execFileSync("codesign", [...args, file])
  sign("--remove-signature")
  const postject = createRequire(import.meta.url).resolve("postject/dist/cli.js")
  execFileSync(process.execPath, [postject, file, BLOB, blob, ...MARKS], { stdio: "pipe" })
  sign("--sign", "-")
  return { licences: [nodeLicence(), licencesOf(modules), page].join("\n") }
}

/** One file of CommonJS, which is what Node 24 runs from an executable. @returns its modules. */
async function bundle(file: string): Promise<readonly string[]> {
  const bundled = await rolldown({
    input: join(import.meta.dirname, "executable-main.ts"),
    external: EXTERNAL,
    platform: "node",
    plugins: [{ name: "compiled code", resolveId: replaceLoaders }],
  })
  const output = await bundled.write({ file, format: "cjs", codeSplitting: false })
  await bundled.close()
  return [...modulesIn(output), ptyManifest()]
}

/** Modules that look for compiled code in a folder are replaced: it is in the executable. */
function replaceLoaders(id: string, importer = ""): string | undefined {
  const isSqlite = id === "./binding" && importer.endsWith("/better-sqlite3/lib/index.js")
  if (isSqlite) return join(import.meta.dirname, "executable-sqlite.ts")
  const isPty = id.endsWith("/pty-binding.ts") && importer.startsWith(join(ROOT, "src"))
  return isPty ? join(import.meta.dirname, "executable-pty.ts") : undefined
}

/** By the names under which the program asks for them. @param built the folder with the dashboard. */
function assets(built: string): Readonly<Record<string, string>> {
  const { getPrebuildPath } = createRequire(import.meta.url)(join(sqliteFolder(), "lib/binding.js"))
  return {
    "package.json": join(ROOT, "package.json"),
    [SQLITE]: getPrebuildPath(),
    ...Object.fromEntries(ownTerminal().map((file) => [join(PTY, basename(file)), file])),
    ...Object.fromEntries(
      globSync(`${DASHBOARD}/**/*.*`, { cwd: built }).map((name) => [name, join(built, name)]),
    ),
    [MIGRATIONS_ASSET]: join(built, MIGRATIONS_ASSET),
  }
}

const ownTerminal = () => terminalFiles().get(`${process.platform}-${process.arch}`) ?? []

/** The package that brought Node has it, as long as npm does not tidy that up. */
function nodeLicence(): string {
  const folder = realpathSync(join(ROOT, "node_modules/node"))
  const [path] = globSync(["node_modules/node-*/LICENSE", "../node-*/LICENSE"], { cwd: folder })
  const url = `https://github.com/nodejs/node/blob/${process.version}/LICENSE`
  const text = path === undefined ? `${url}\n` : readFileSync(join(folder, path), "utf8")
  return `Node ${process.version}\n\n${text}`
}
