/**
 * An image for tests: a shell, git and the usual small programs of this machine, with their
 * libraries. So no registry is needed.
 */

import { execFileSync, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { findProgram } from "../../src/process/find-program.ts"

const PROGRAMS =
  "sh bash cat ls mkdir rm mv touch sleep chmod env grep sed find id head sort cut tr true false test ln cp mount printf setsid git uname"

const ENGINE = "podman"

/** Parts of the C library that bigger programs need, such as `claude`. */
const OF_C = ["librt.so.1", "libdl.so.2", "libm.so.6", "libpthread.so.0", "libresolv.so.2"]

/** Some containers may not raise the limits of their processes, which engines do by default. */
const SETTINGS = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n'

export class TestImage implements Disposable {
  readonly name = `localhost/coppice-test:${randomBytes(6).toString("hex")}`
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-image-")))
  /** The variables with which the engine works here. */
  readonly env: Readonly<Record<string, string>>
  /** Why there is none. */
  readonly missing: string | undefined

  constructor() {
    const settings = join(this.#folder, "containers.conf")
    writeFileSync(settings, SETTINGS)
    this.env = { CONTAINERS_CONF: settings }
    this.missing = this.#make()
  }

  /** Runs a command of the engine. */
  engine(...args: string[]): string {
    const env = { ...process.env, ...this.env }
    const { stdout, stderr, status } = spawnSync(ENGINE, args, { env, encoding: "utf8" })
    if (status === 0) return stdout.trim()
    throw new Error(`${ENGINE} ${args.join(" ")}: ${stderr}`)
  }

  [Symbol.dispose](): void {
    if (this.missing === undefined) this.engine("rmi", "--force", this.name)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #make(): string | undefined {
    const path = process.env["PATH"]
    if (process.platform !== "linux") return "the image is made of Linux programs"
    if (!findProgram(ENGINE, { path, cwd: "/" })) return `there is no program ${ENGINE}`
    const root = join(this.#folder, "root")
    for (const folder of ["usr/bin", "usr/lib", "usr/lib64", "tmp", "etc", "root", "run"])
      mkdirSync(join(root, folder), { recursive: true })
    for (const name of ["bin", "lib", "lib64"]) symlinkSync(`usr/${name}`, join(root, name))
    for (const name of PROGRAMS.split(" ")) add(root, name, findProgram(name, { path, cwd: "/" }))
    symlinkSync("git", join(root, "usr/bin/git-upload-pack"))
    add(root, "", process.execPath) // only its libraries: `coppice agent` uses this very program
    writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\n")
    try {
      const tar = join(this.#folder, "image.tar")
      execFileSync("tar", ["-C", root, "-cf", tar, "."])
      this.engine("import", tar, this.name)
      this.engine("run", "--rm", "--network=none", this.name, "git", "--version")
      return undefined
    } catch (error) {
      return String(error)
    }
  }
}

/** Copies a program and its libraries. */
function add(root: string, name: string, program: string | undefined): void {
  if (program === undefined) return
  const libraries = spawnSync("ldd", [program], { encoding: "utf8" }).stdout.match(/\/\S+/g) ?? []
  if (name !== "") copy(program, join(root, "usr/bin", name))
  for (const library of libraries) copy(library, join(root, library))
  for (const name of OF_C)
    for (const libc of libraries.filter((library) => library.includes("/libc.so")))
      copy(join(dirname(libc), name), join(root, dirname(libc), name))
}

function copy(from: string, to: string): void {
  if (existsSync(to) || !existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(realpathSync(from), to)
}
