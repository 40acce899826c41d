/**
 * An engine for tests, and an image: a shell, git and the usual small programs of this machine, with
 * their libraries. So no registry is needed.
 *
 * Docker is the one that runs here, else a daemon of our own, which only root can start.
 */

import {
  type ChildProcess,
  execFileSync,
  type StdioOptions,
  spawn,
  spawnSync,
} from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { ENGINES, type EngineName } from "../../src/features/containment/rules/engines.ts"
import { findProgram } from "../../src/kernel/process/find-program.ts"

const PROGRAMS =
  "sh bash cat ls mkdir rm mv touch sleep chmod env grep sed find id head sort cut tr true false test ln cp mount printf setsid git uname perl stat"

/** Parts of the C library that bigger programs need, such as `claude`. */
const OF_C = ["librt.so.1", "libdl.so.2", "libm.so.6", "libpthread.so.0", "libresolv.so.2"]

/** A daemon that takes longer does not start. */
const STARTED_MS_MAX = 30_000
/** Docker waits for 15 s before it kills containers. */
const ENDED_MS_MAX = 20_000

export class TestImage implements Disposable {
  readonly name = `localhost/coppice-test:${randomBytes(6).toString("hex")}`
  readonly engineName: EngineName
  readonly #isBare: boolean
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-image-")))
  #env: Readonly<Record<string, string>> = {}
  #daemon: ChildProcess | undefined
  #daemonFolder = ""
  /** Why there is none. */
  readonly missing: string | undefined

  /** @param options `isBare`: without the libraries that Node needs. */
  constructor(engineName: EngineName = "podman", { isBare = false } = {}) {
    this.engineName = engineName
    this.#isBare = isBare
    this.missing = this.#make()
  }

  /** One for each engine. Says which cannot be tested here. */
  static all(): readonly TestImage[] {
    const images = ENGINES.map((name) => new TestImage(name))
    for (const { engineName, missing } of images)
      if (missing !== undefined)
        console.warn(`SKIPPED: containers of ${engineName} are not tested: ${missing}`)
    return images
  }

  /** The variables with which the engine works here. */
  get env(): Readonly<Record<string, string>> {
    return this.#env
  }

  /** Runs a command of the engine. */
  engine(...args: string[]): string {
    const env = { ...process.env, ...this.env }
    const { stdout, stderr, status } = spawnSync(this.engineName, args, { env, encoding: "utf8" })
    if (status === 0) return stdout.trim()
    throw new Error(`${this.engineName} ${args.join(" ")}: ${stderr}`)
  }

  /**
   * From now on the engine creates containers, but waits before it starts one. Undefined: it cannot.
   * (Docker's daemon would wait for ever.)
   */
  hold(): (Disposable & { readonly isReached: () => boolean }) | undefined {
    if (!existsSync(this.#runtime)) return undefined
    const [held, reached] = [`${this.#runtime}.held`, `${this.#runtime}.reached`]
    writeFileSync(held, "")
    return {
      isReached: () => existsSync(reached),
      [Symbol.dispose]: () => {
        for (const file of [held, reached]) rmSync(file, { force: true })
      },
    }
  }

  [Symbol.dispose](): void {
    if (this.missing === undefined) this.engine("rmi", "--force", this.name)
    this.#daemon?.stdin?.destroy()
    const isThere = `while [ -e ${this.#daemonFolder} ]; do sleep 0.05; done`
    if (this.#daemonFolder !== "") spawnSync("/bin/sh", ["-c", isThere], { timeout: ENDED_MS_MAX })
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #runtime(): string {
    return join(this.#folder, "runtime")
  }

  #make(): string | undefined {
    const path = process.env["PATH"]
    if (process.platform !== "linux") return "the image is made of Linux programs"
    if (!findProgram(this.engineName, { path, cwd: "/" }))
      return `there is no program ${this.engineName}`
    try {
      if (this.engineName === "podman") this.#configurePodman()
      else this.#findDocker()
      this.engine("import", this.#makeTar(), this.name)
      this.engine("run", "--rm", "--network=none", this.name, "git", "--version")
      return undefined
    } catch (error) {
      return String(error)
    }
  }

  /** Some machines may not raise the limits of their processes, which engines do by default. */
  #configurePodman(): void {
    const lines = ['[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]']
    if (this.#writeRuntime()) lines.push(`[engine]\nruntime = "${this.#runtime}"`)
    const settings = join(this.#folder, "containers.conf")
    writeFileSync(settings, lines.join("\n"))
    this.#env = { CONTAINERS_CONF: settings }
  }

  /** A runtime that can be held. Not every `crun` runs on every kind of control groups. */
  #writeRuntime(): boolean {
    const runtime = ["runc", "crun"].find((name) =>
      findProgram(name, { path: process.env["PATH"], cwd: "/" }),
    )
    if (runtime === undefined) return false
    const at = this.#runtime
    const held = `case " $* " in *" start "*) [ ! -e ${at}.held ] || { trap '' TERM; : > ${at}.reached; exec sleep 1000; } ;; esac`
    writeFileSync(at, `#!/bin/sh\n${held}\nexec ${runtime} "$@"\n`, { mode: 0o700 })
    return true
  }

  #findDocker(): void {
    if (spawnSync("docker", ["info"]).status === 0) return
    const isRoot = process.getuid?.() === 0
    const dockerd = findProgram("dockerd", { path: process.env["PATH"], cwd: "/" })
    if (!isRoot || dockerd === undefined) throw new Error("no Docker daemon runs here")
    const folder = mkdtempSync("/tmp/coppice-docker-") // paths of sockets are short
    this.#daemonFolder = folder
    const args = [
      ...["--host", `unix://${folder}/socket`, "--pidfile", `${folder}/pid`],
      ...["--data-root", `${folder}/data`, "--exec-root", `${folder}/exec`],
      ...["--storage-driver=vfs", "--bridge=none", "--iptables=false", "--ip6tables=false"],
    ]
    // The daemon ends with us, whatever ends us.
    const script = `dockerd "$@" </dev/null >${folder}/log 2>&1 & read -r _; kill $!; wait; umount ${folder}/exec/netns/default; rm -rf ${folder}`
    const stdio: StdioOptions = ["pipe", "ignore", "ignore"]
    this.#daemon = spawn("/bin/sh", ["-c", script, "sh", ...args], { stdio, detached: true })
    this.#env = { DOCKER_HOST: `unix://${folder}/socket` }
    const isUp = "until docker version; do sleep 0.1; done"
    const env = { ...process.env, ...this.env }
    const { status } = spawnSync("/bin/sh", ["-c", isUp], { env, timeout: STARTED_MS_MAX })
    if (status !== 0)
      throw new Error(`dockerd does not start here: ${readFileSync(`${folder}/log`, "utf8")}`)
  }

  #makeTar(): string {
    const path = process.env["PATH"]
    const root = join(this.#folder, "root")
    for (const folder of ["usr/bin", "usr/lib", "usr/lib64", "tmp", "etc", "root", "run"])
      mkdirSync(join(root, folder), { recursive: true })
    for (const name of ["bin", "lib", "lib64"]) symlinkSync(`usr/${name}`, join(root, name))
    for (const name of PROGRAMS.split(" ")) add(root, name, findProgram(name, { path, cwd: "/" }))
    symlinkSync("git", join(root, "usr/bin/git-upload-pack"))
    if (!this.#isBare) add(root, "", process.execPath) // only its libraries: `coppice agent` uses this very program
    writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\n")
    const tar = join(this.#folder, "image.tar")
    execFileSync("tar", ["-C", root, "-cf", tar, "."])
    return tar
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
