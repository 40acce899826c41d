/**
 * Makes everything that is published for this platform: `npm run package [folder]`.
 *
 * The folder, `packages` by default, gets npm's package, a single executable, a Debian package with
 * that executable, a Homebrew formula for npm's package, and the checksums of all.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { terminalFiles } from "../bundle.ts"
import { writeDebianPackage } from "./debian.ts"
import { writeExecutable } from "./executable.ts"
import { formula } from "./formula.ts"
import { readManifest } from "./manifest.ts"

const ROOT = resolve(import.meta.dirname, "../..")

const manifest = readManifest(ROOT)
const { name, version } = manifest
const folder = resolve(process.argv[2] ?? join(ROOT, "packages"))
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const tarball = join(folder, `${name}-${version}.tgz`)
execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: ROOT, stdio: ["ignore", 2, 2] })
const executable = join(folder, `${name}-${version}-${process.platform}-${process.arch}`)
const { licences } = await writeExecutable(executable)
const debian = await writeDebianPackage(folder, { root: ROOT, manifest, executable, licences })
if (debian === undefined) write("no Debian package: there is no dpkg-deb here")
const ruby = join(folder, `${name}.rb`)
writeFileSync(ruby, formula(manifest, { file: basename(tarball), sha256: sha256(tarball) }))
const without = [...terminalFiles()].filter(([, files]) => files.length === 0)
if (without.length > 0)
  write(
    `no terminal in the dashboard on ${without.map(([platform]) => platform).join(", ")}: ` +
      "`npm install --no-save --force @lydell/node-pty-<platform>` brings the code of another platform",
  )
if (manifest.repository === undefined)
  write("the formula has no real address: package.json names no repository")

const files = [tarball, executable, ...(debian ? [debian] : []), ruby]
const sums = files.map((file) => `${sha256(file)}  ${basename(file)}\n`)
writeFileSync(join(folder, "SHA256SUMS"), sums.join(""))
for (const file of files) write(file)

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex")
}

function write(line: string): void {
  process.stdout.write(`${line}\n`)
}
