/**
 * Starts a program behind its fence on macOS, by `sandbox-exec`.
 *
 * macOS has no private mounts, so every path is the machine's own. HOME and TMPDIR name folders of the
 * program. GIT_DIR names its private git directory, in place of the worktree's `.git`.
 *
 * The profile denies by default. It allows no write but in `writable`, HOME and TMPDIR. A read is allowed
 * outside of the folders of people and temporary files, and of what the fence names in them. Keychains,
 * preferences, terminals, other processes and sockets of other programs stay out of reach.
 *
 * No Mac has run it: seatbelt.test.ts reads the profile by the rule that the last match counts. A service
 * that we forgot to allow fails; it is not let through.
 *
 * @see sandbox-exec(1), and the profiles in /System/Library/Sandbox/Profiles
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { UnstartableError } from "../../kernel/process/errors.ts"
import {
  type Fence,
  type Launch,
  prepareMounts,
  realPath,
  type Shown,
} from "../../kernel/process/fence.ts"
import { SEATBELT } from "./rules/sandbox-probe.ts"

/** Folders of people, temporary files, other programs and secrets. The fence names what is seen in them. */
const HIDDEN = [
  ...["/Users", "/Volumes", "/Network", "/Library/Keychains", "/private/tmp"],
  ...["/private/var/folders", "/private/var/root", "/private/var/run", "/private/var/tmp"],
  ...["/private/var/db/dslocal", "/private/etc/ssh", "/private/etc/master.passwd"],
] as const

const SYSCTLS = [
  ...["kern.argmax", "kern.hostname", "kern.maxfiles", "kern.maxfilesperproc", "kern.maxproc"],
  ...["kern.ngroups", "kern.osproductversion", "kern.osrelease", "kern.ostype", "kern.osversion"],
  ...["kern.osvariant_status", "kern.secure_kernel", "kern.usrstack64", "kern.version"],
  ...["sysctl.proc_cputype", "vm.loadavg", "security.mac.lockdown_mode_state"],
]
const SYSCTL_PREFIXES = ["hw.", "machdep.cpu.", "net.routetable."]

/** Logs, names of users and hosts, notifications of the system. */
const SERVICES = [
  ...["logd", "system.logger", "system.notification_center", "bsd.dirhelper"],
  ...["system.opendirectoryd.libinfo", "system.opendirectoryd.membership"],
]
/** Checks of certificates, and the settings of the network. */
const NETWORK_SERVICES = [
  ...["trustd.agent", "SystemConfiguration.configd", "SystemConfiguration.DNSConfiguration"],
]

const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"]

/** All paths are absolute and without links. */
export type Seen = {
  /** The user's own. */
  readonly hidden: readonly string[]
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** Inside of `writable`. */
  readonly fixed: readonly string[]
  readonly network: boolean
}

/** @throws {UnstartableError} if a path cannot be written in a profile. */
export function seatbeltProfile({ hidden, readable, writable, fixed, network }: Seen): string {
  const seen = [...writable, ...readable]
  const services = [...SERVICES, ...(network ? NETWORK_SERVICES : [])]
  const rules = [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow process-info* signal (target same-sandbox))",
    rule("allow", "mach-lookup", "global-name", services.map((name) => `com.apple.${name}`)), // biome-ignore format: one rule a line
    "(allow ipc-posix-sem)",
    rule("allow", "sysctl-read", "sysctl-name", SYSCTLS),
    rule("allow", "sysctl-read", "sysctl-name-prefix", SYSCTL_PREFIXES),
    "(allow file-read*)",
    rule("deny", "file-read*", "subpath", [...HIDDEN, ...hidden]),
    // A name on the way to a folder is no secret, and realpath(3) reads each of them.
    "(allow file-read-metadata (vnode-type DIRECTORY))",
    rule("allow", "file-read*", "subpath", seen),
    rule("allow", "file-read* file-write-data file-ioctl", "literal", DEVICES),
    rule("allow", "file-read* file-write-data", "subpath", ["/dev/fd"]),
    rule("allow", "file-write*", "subpath", writable),
    // Nothing takes the place of such a folder, or of a file that is read-only.
    rule("deny", "file-write*", "literal", writable),
    rule("deny", "file-write*", "subpath", fixed),
    "(allow system-socket (socket-domain AF_UNIX))",
    rule("allow", "network-bind network-outbound network-inbound", "subpath", writable),
    ...(network ? NETWORK : []),
  ]
  return `${rules.filter((one) => one !== "").join("\n")}\n`
}

/** Addresses alone: a socket in the file system may be the person's ssh-agent or Docker. */
const NETWORK = [
  '(allow network-outbound (remote ip "*:*"))',
  '(allow network-bind network-inbound (local ip "*:*"))',
  '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
  '(allow file-read* (literal "/private/var/run/resolv.conf"))',
]

function rule(
  decision: "allow" | "deny",
  operations: string,
  filter: string,
  values: readonly string[],
): string {
  if (values.length === 0) return ""
  return `(${decision} ${operations} ${values.map((value) => `(${filter} ${quote(value)})`).join(" ")})`
}

/** A string of a profile ends at `"`, and `\` escapes. Nothing says how it reads a control character. */
function quote(text: string): string {
  if (/[\u0000-\u001f\u007f]/.test(text))
    throw new UnstartableError(`no sandbox can show ${JSON.stringify(text)}: a control character`)
  return `"${text.replace(/[\\"]/g, "\\$&")}"`
}

/** Variables that name folders that are not the program's. */
const DROPPED = /^(XDG_RUNTIME_DIR|SSH_AUTH_SOCK|GIT_DIR|GIT_WORK_TREE)$/

export type SeatbeltOf = {
  /** Folders that a program sees: of its PATH, and its own. */
  readonly programs: readonly string[]
  /** The folder of the daemon's state. */
  readonly stateDir: string
}

/**
 * The command that starts the same program behind the fence.
 *
 * @throws {UnstartableError} for a fence that needs a mount.
 */
export function inSeatbelt(launch: Launch, fence: Fence, of: SeatbeltOf): Launch {
  const git = privateGit(fence)
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), "coppice-sandbox-"))
  const temporary = join(scratch, "tmp")
  const home = fence.home ?? join(scratch, "home")
  for (const folder of [temporary, home]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const real = (paths: readonly string[]) => paths.flatMap((path) => [realPath(path) ?? path])
  const { readable, writable } = prepareMounts(fence, home, of.programs)
  const sources = (shown: readonly Shown[]) => shown.map(({ from }) => from)
  const profile = seatbeltProfile({
    hidden: real([homedir(), of.stateDir]),
    readable: sources(readable),
    writable: [...sources(writable), ...real([home, temporary])],
    fixed: real(fence.fixed.map(({ at }) => at)),
    network: fence.network,
  })
  const kept = Object.entries(launch.env).filter(([name]) => !DROPPED.test(name))
  return {
    command: SEATBELT,
    args: ["-p", profile, launch.command, ...launch.args],
    cwd: launch.cwd,
    env: { ...Object.fromEntries(kept), ...git, HOME: home, TMPDIR: temporary },
    cleanUp: async () => rmSync(scratch, { recursive: true, force: true }),
  }
}

/** The variables that name the agent's own git directory. */
function privateGit({ fixed, caches }: Fence): Record<string, string> {
  if (caches.length > 0)
    throw new UnstartableError("a sandbox of macOS has no `contained.caches`", [OTHERWISE])
  const elsewhere = fixed.filter(({ from, at }) => from !== at)
  const [file] = elsewhere
  if (!file) return {}
  if (elsewhere.length > 1)
    throw new UnstartableError("a sandbox of macOS holds one repository", [OTHERWISE])
  const GIT_DIR = readFileSync(file.from, "utf8").replace(/^gitdir: /, "").trim() // biome-ignore format: one chain
  return { GIT_DIR, GIT_WORK_TREE: dirname(file.at) }
}

const OTHERWISE = "Use a `container` there: see docs/runtimes.md, Containment."
