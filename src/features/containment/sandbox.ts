/**
 * Starts a program in a sandbox of bubblewrap: it sees the system's programs and what its fence
 * names, and nothing else of the machine.
 *
 *   read-only: /usr, parts of /etc, the folders of the PATH, `readable`      its own: /tmp, /proc, HOME
 *   writable:  `writable`                                                    hidden:  everything else
 *
 * The fence lists what the program sees, not what is hidden, so a secret in an unknown place stays
 * hidden. All processes end with the first one, because they have a process namespace of their own.
 *
 * @see https://github.com/containers/bubblewrap
 */
import { lstatSync, readlinkSync } from "node:fs"
import { basename, delimiter, dirname, isAbsolute, join } from "node:path"
import {
  type Fence,
  KERNEL,
  type Launch,
  prepareMounts,
  programAt,
  readOnly,
  withCertificates,
} from "../../kernel/process/fence.ts"
import { bubblewrapped, hiddenKeys } from "./bubblewrap.ts"
import { NAMESPACES } from "./rules/containment.ts"

const LINKED = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]
/** Nothing here is secret: no password hashes and no keys of a host. */
const SYSTEM = [
  ...["/usr", "/opt", "/nix/store", "/run/current-system"],
  ...["alternatives", "ca-certificates", "crypto-policies", "fonts", "java", "ld.so.cache"],
  ...["ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf", "passwd", "group"],
  ...["hosts", "host.conf", "gai.conf", "os-release", "profile", "protocols", "services"],
  ...["pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf"],
  ...["resolv.conf", "terminfo", "timezone"],
  ...["ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf"],
].map((name) => (isAbsolute(name) ? name : `/etc/${name}`))

/** Variables that name folders that a sandbox does not have. */
const DROPPED = /^(TMPDIR|XDG_RUNTIME_DIR)$/

/** The command that starts the same program behind the fence. @param stateDir as in bubblewrap.ts. */
export function sandboxed(launch: Launch, fence: Fence, stateDir: string): Launch {
  const { command, args, cwd } = launch
  const env = Object.fromEntries(Object.entries(launch.env).filter(([name]) => !DROPPED.test(name)))
  const named = programFolders(command, env, fence)
  const { readable, writable, check } = prepareMounts(fence, env["HOME"], named)
  const line = [
    ...NAMESPACES,
    ...(fence.network ? [] : ["--unshare-net"]),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...KERNEL.flatMap((path) => readOnly(path)),
    ...hiddenKeys(),
    ...LINKED.flatMap(systemFolder),
    ...SYSTEM.flatMap((path) => readOnly(path)),
    ...homeOf(env["HOME"], fence.home),
    ...fence.caches.flatMap(({ from, at }) => ["--bind", from, at]),
    ...readable.flatMap(({ from, at }) => ["--ro-bind", from, at]),
    ...writable.flatMap(({ from, at }) => ["--bind", from, at]),
    ...fence.fixed.flatMap(({ from, at }) => ["--ro-bind", from, at]),
    ...["--chdir", cwd, "--", "/bin/sh", "-c", `${check}; exec "$@"`, "coppice", command, ...args],
  ]
  return bubblewrapped(line, { env }, stateDir)
}

/** Many systems have a link there, to a folder below /usr. */
function systemFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : readOnly(path)
}

function homeOf(at: string | undefined, from: string | null): string[] {
  if (at === undefined || !isAbsolute(at) || at === "/") return []
  return from === null ? ["--tmpfs", at] : ["--bind", from, at]
}

/** The folders of the PATH, the program itself, what both link to, and files of certificates. */
export function programFolders(
  command: string,
  env: Launch["env"],
  fence: Pick<Fence, "findReal">,
): string[] {
  const real = (path: string) => fence.findReal(path) ?? path
  const home = env["HOME"] ?? "/"
  const homes = [home, real(home)].map((path) => `${path}/`)
  const isTooWide = (path: string) =>
    [path, real(path)].some((one) =>
      homes.some((at) => at.startsWith(`${one}/`.replace("//", "/"))),
    )
  const listed = (env["PATH"] ?? "").split(delimiter).filter((path) => isAbsolute(path))
  const libraries = listed.flatMap((path) =>
    basename(path) === "bin" ? [join(dirname(path), "lib")] : [],
  )
  const all = withCertificates([...listed, ...libraries, ...programAt(command, fence)], env)
  const named = all.filter((path) => !isTooWide(path))
  const around = [...SYSTEM, ...LINKED, ...named]
  const isAround = (path: string) => SYSTEM.includes(path) || LINKED.includes(path)
  return named.filter(
    (path) => !isAround(path) && !around.some((other) => path.startsWith(`${other}/`)),
  )
}
