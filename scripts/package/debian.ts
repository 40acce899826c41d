/** Makes the Debian package, which holds the single executable. */
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { SCRIPTS, SHELLS } from "../../src/surfaces/cli/completion-scripts.ts"
import { manPages } from "../man-pages.ts"
import type { Manifest } from "./manifest.ts"

/** Debian's names of Node's architectures. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }
/** The libraries that Node's own builds need, and the oldest git that Coppice works with. */
const DEPENDS = "git (>= 1:2.39), libc6 (>= 2.28), libgcc-s1, libstdc++6"

/** Where the shells of Debian look for completions, below /usr/share. */
const COMPLETIONS = {
  bash: "bash-completion/completions/coppice",
  zsh: "zsh/vendor-completions/_coppice",
  fish: "fish/vendor_completions.d/coppice.fish",
}

export type DebianContents = {
  /** The folder of the project. */
  readonly root: string
  readonly manifest: Manifest
  /** The path of the single executable. */
  readonly executable: string
  readonly licences: string
}

/** @param folder the folder to write to. @returns the package's path; undefined without dpkg-deb. */
export async function writeDebianPackage(
  folder: string,
  contents: DebianContents,
): Promise<string | undefined> {
  const { root, manifest, executable, licences } = contents
  const { name, version } = manifest
  using scratch = mkdtempDisposableSync(join(tmpdir(), "coppice-debian-"))
  const tree = join(scratch.path, "tree")
  const place = (path: string) => {
    const file = join(tree, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    return file
  }
  const program = place(`usr/bin/${name}`)
  copyFileSync(executable, program)
  chmodSync(program, 0o755)
  const licence = readFileSync(join(root, "LICENSE"), "utf8")
  write(place(`usr/share/doc/${name}/copyright`), [licence, licences].join("\n"))
  const changelog = gzipSync(readFileSync(join(root, "CHANGELOG.md")))
  write(place(`usr/share/doc/${name}/changelog.gz`), changelog)
  for (const [page, text] of await manPages(version))
    write(place(`usr/share/man/man${page.at(-1)}/${page}.gz`), gzipSync(text))
  for (const shell of SHELLS) write(place(`usr/share/${COMPLETIONS[shell]}`), SCRIPTS[shell])
  const kibibytes = Math.ceil(statSync(program).size / 1024)
  write(place("DEBIAN/control"), control(manifest, kibibytes))

  const file = join(folder, `${name}_${version}_${architecture()}.deb`)
  // xz takes a minute to save a tenth more.
  const args = ["--build", "--root-owner-group", "-Zzstd", tree, file]
  const { error, status, stderr } = spawnSync("dpkg-deb", args, { encoding: "utf8" })
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return undefined
  if (status !== 0) throw new Error(`dpkg-deb: ${error?.message ?? stderr}`)
  return file
}

/** @see https://www.debian.org/doc/debian-policy/ch-controlfields.html */
function control({ name, version, description, author }: Manifest, kibibytes: number): string {
  return `Package: ${name}
Version: ${version}
Architecture: ${architecture()}
Maintainer: ${author}
Installed-Size: ${kibibytes}
Depends: ${DEPENDS}
Section: devel
Priority: optional
Description: ${description.replace(/\.$/, "")}
`
}

function architecture(): string {
  return ARCHITECTURES[process.arch] ?? process.arch
}

function write(file: string, data: string | Uint8Array): void {
  writeFileSync(file, data, { mode: 0o644 })
  chmodSync(file, 0o644) // the umask may have removed bits
}
