/**
 * Starts a program in a container of its own. The program sees the files of an image and the paths in its
 * fence, and nothing else of the machine.
 *
 *   read-only: the image, `readable`       its own: /tmp, /proc, /dev, HOME       writable: `writable`
 *
 * A path is the same inside and outside. The container has no capability and gains no rights. It runs as
 * the user, so its files belong to the user. Its first process carries our mark, like every other child
 * (end-tree.ts). When that process ends, the kernel ends the others, and the engine removes the
 * container. If something ended the engine's client, the container may be left. Only success proves that
 * nothing did, so `cleanUp` removes it after any other exit.
 */
import { randomBytes } from "node:crypto"
import { lstatSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import { UnstartableError } from "../../kernel/process/errors.ts"
import {
  type Fence,
  type Launch,
  prepareMounts,
  programAt,
  withCertificates,
} from "../../kernel/process/fence.ts"
import { findPlain } from "../../kernel/process/plain-file.ts"
import { MARK_VARIABLE } from "../../kernel/process/process-table.ts"
import { keepWritten } from "./bubblewrap.ts"
import { type Engine, engineEnvironment } from "./container-engine.ts"
import { removeContainers } from "./left-containers.ts"
import { narrowed } from "./rules/container-calls.ts"
import type { ContainerConfig } from "./rules/containment.ts"

export type ContainerOf = {
  readonly engine: Engine
  readonly config: ContainerConfig
  readonly labels: Readonly<Record<string, string>>
  /** Variables that a person has set in the configuration. They all pass, even PATH. */
  readonly set: Readonly<Record<string, string>>
  /** Variables of its image's `devcontainer.json`; all others override them. */
  readonly declared?: Readonly<Record<string, string>>
  /** For files that the engine reads. */
  readonly stateDir: string
  /** A folder at the end of its PATH. */
  readonly programs?: string
}

/** Variables that name folders and programs of the machine. The image has its own. */
const OF_MACHINE =
  /^(PATH|SHELL|TMPDIR|XDG_.+|(CARGO|RUSTUP|JAVA|GRADLE_USER|MIX|HEX|COMPOSER|PNPM|VOLTA|GEM|POETRY)_HOME|(PYENV|RBENV|DOTNET)_ROOT|GOPATH|GOROOT|GEM_PATH|NVM_DIR)$/
/** Containers run Linux on every machine, so a program of another system cannot run in one. */
export const RUNS_INSIDE = process.platform === "linux"
/** Variables that would lead the engine elsewhere, or run code in it, before the container exists. */
const OF_CLIENT =
  /^(LD_.+|GO[A-Z]+|TMPDIR|XDG_.+|_?CONTAINERS?_.+|PODMAN_.+|STORAGE_.+|BUILDAH_.+|DBUS_SESSION_BUS_ADDRESS|NOTIFY_SOCKET|SSH_AUTH_SOCK|DOCKER_(HOST|CONTEXT|CONFIG|CERT_PATH|TLS.*|API_VERSION|CONTENT_TRUST.*|DEFAULT_PLATFORM|CUSTOM_HEADERS|CLI_.+))$/
/** Programs in these folders come from the image. */
const OF_IMAGE = /^\/(usr|bin|sbin|lib|lib64|opt)\//

/**
 * A client that is ended may exit with 0 before its program runs, and an engine that fails exits with
 * 125. Neither is an answer of the program. So the first process exits with this code for 0, and with
 * 1 for this code and for 125.
 */
const SUCCESS = 113
const NOT_RUN: readonly (number | null)[] = [0, 125]
/** The code by which a shell says that it could not start a program. */
const UNSTARTABLE = 126

/**
 * The first process of a container. It passes TERM on to all others, and they end when it ends.
 * Arguments: a folder for the PATH ("" for none), the program, its arguments. If the image lacks that
 * path, the shell finds the program by its name.
 */
const INIT = `[ -z "$1" ] || export PATH="$PATH:$1"
program=$2; shift 2
case $program in /*) [ -x "$program" ] || program=\${program##*/} ;; esac
exec 3<&0; trap 'kill -s TERM -- -1' TERM
"$program" "$@" <&3 3<&- & child=$!; exec 3<&- </dev/null
while :; do wait "$child"; code=$?; kill -0 "$child" 2>/dev/null || break; done
case $code in 0) exit ${SUCCESS} ;; ${SUCCESS} | 125) exit 1 ;; *) exit "$code" ;; esac`

/** The command that starts the same program in a container. */
export function inContainer(launch: Launch, fence: Fence, container: ContainerOf): Launch {
  const { engine, config, labels, set, declared = {}, stateDir, programs = "" } = container
  const { command, args, cwd } = launch
  const { mounted, check } = mounts(launch, fence, engine)
  const name = `coppice-${randomBytes(8).toString("hex")}`
  const inside = { ...declared, ...variables(launch.env, set) }
  const outside = engineEnvironment(process.env)
  const isShown = (name: string) => name in outside || OF_CLIENT.test(name)
  const line = [
    ...["run", "--rm", "--interactive", "--pull=never", "--name", name, "--log-driver=none"],
    "--detach-keys=", // bytes of its input would end the client of Podman
    ...Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
    ...["--read-only", "--cap-drop=all", "--security-opt=no-new-privileges"],
    ...["--security-opt=label=disable", "--no-healthcheck"],
    ...systemCalls(engine, stateDir),
    ...["--network", fence.network ? "host" : "none"],
    ...userOptions(engine),
    ...limits(config),
    ...mounted,
    // Other users see the command line. So the engine reads values from its environment, except
    // for variables that would change the engine itself, such as HOME.
    ...Object.entries({ ...inside, [MARK_VARIABLE]: "" }).flatMap(([key, value]) => [
      "--env",
      isShown(key) && outside[key] !== value ? `${key}=${value}` : key,
    ]),
    ...["--workdir", cwd, "--entrypoint", "/bin/sh", config.image],
    ...["-c", engine.isLocal ? `${check}\n${INIT}` : INIT, "coppice", programs, command, ...args],
  ]
  return {
    command: engine.program,
    args: line,
    cwd: "/",
    env: { ...without(OF_CLIENT, inside), ...outside },
    readExit: ({ code, signal }) => ({
      code: NOT_RUN.includes(code) ? UNSTARTABLE : code === SUCCESS ? 0 : code,
      signal,
    }),
    cleanUp: async ({ code }) => {
      // The engine's client has removed it then, since only the container can say that it succeeded.
      if (code !== 0) await removeContainers(engine, [name])
    },
  }
}

/** Docker's own list is as narrow. One that we cannot read stays the engine's. */
function systemCalls({ calls }: Engine, stateDir: string): string[] {
  const list = calls === undefined ? undefined : narrowed(findPlain(calls)?.toString() ?? "")
  if (list === undefined) return []
  const path = join(stateDir, "container-calls.json")
  keepWritten(path, Buffer.from(list))
  return [`--security-opt=seccomp=${path}`]
}

const without = (names: RegExp, env: Launch["env"]): Launch["env"] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.test(name)))

/** Without the variables of the machine, except those that a person has set. */
function variables(env: Launch["env"], set: ContainerOf["set"]): Launch["env"] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name in set || !OF_MACHINE.test(name)),
  )
}

const ids = () => ({ user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 })

/** Makes its files belong to the user who runs us. */
function userOptions({ name, isRootless }: Engine): string[] {
  const { user, group } = ids()
  if (name === "docker" && isRootless) return ["--user", "0:0"]
  const kept = name === "podman" && isRootless ? ["--userns=keep-id"] : []
  return [...kept, "--user", `${user}:${group}`]
}

function limits({ memory, cpus, pids }: ContainerConfig): string[] {
  return [
    ...(memory === undefined ? [] : ["--memory", memory]),
    ...(cpus === undefined ? [] : ["--cpus", String(cpus)]),
    ...(pids === undefined ? [] : ["--pids-limit", String(pids)]),
  ]
}

/** The paths of a program that does not come from the image. */
export const mountedProgram = (
  command: string,
  fence: Pick<Fence, "findReal">,
): readonly string[] => (RUNS_INSIDE && !OF_IMAGE.test(command) ? programAt(command, fence) : [])

function mounts({ command, env }: Launch, fence: Fence, engine: Engine) {
  const home = env["HOME"]
  const named = withCertificates(mountedProgram(command, fence), env)
  const { readable, writable, check, canCheck } = prepareMounts(fence, home, named)
  const isFixed = (path: string) => fence.fixed.some(({ at }) => at === path)
  const all: readonly Mount[] = [
    empty("/tmp", engine),
    ...homeOf(home, fence.home, engine),
    ...fence.caches.map(({ from, at }) => bind(from, at, false)),
    ...readable.map(({ from, at }) => bind(from, at, true)),
    ...writable.flatMap(({ from, at }) => (isFixed(at) ? [] : [bind(from, at, false)])),
    ...fence.fixed.map(({ from, at }) => bind(from, at, true)),
  ]
  // The last one at a place counts, as in a sandbox; the engines refuse two.
  const last = new Map(all)
  if (home !== undefined && fence.home !== null) makePlaces([...last.keys()], home, fence.home)
  // An image may lack `stat`.
  return { mounted: [...last.values()].flat(), check: `if ${canCheck}; then ${check}; fi` }
}

/**
 * Makes the places in HOME where something is mounted. An engine would make them too, but that of a
 * rootless Podman would own them, and the user could not delete them. Places below another mount are
 * left out: no link was removed on the way to them.
 */
function makePlaces(paths: readonly string[], home: string, from: string): void {
  const inHome = paths.filter((path) => path.startsWith(`${home}/`))
  for (const path of inHome) {
    if (inHome.some((other) => path.startsWith(`${other}/`))) continue
    const place = join(from, path.slice(home.length))
    if (lstatSync(place, { throwIfNoEntry: false })) continue
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile()
    mkdirSync(isFile ? dirname(place) : place, { recursive: true })
    if (isFile) writeFileSync(place, "", { flag: "wx" })
  }
}

/** A path inside, and the options that mount something there. */
type Mount = readonly [at: string, options: readonly string[]]

/** A folder that belongs to the user, whatever folder the image has there. */
function empty(at: string, engine: Engine): Mount {
  const { user, group } = ids()
  const docker = engine.isRootless ? "" : `,uid=${user},gid=${group}`
  const own = engine.name === "podman" ? ",U" : docker
  return [at, ["--tmpfs", `${at}:rw,exec,nosuid,nodev,mode=1777${own}`]]
}

function homeOf(at: string | undefined, from: string | null, engine: Engine): Mount[] {
  if (at === undefined || !isAbsolute(at) || at === "/") return []
  return [from === null ? empty(at, engine) : bind(from, at, false)]
}

/**
 * The engines read the value as a line of CSV. A mount below a read-only folder would stay
 * writable, so it is left out.
 */
function bind(from: string, at: string, isFixed: boolean): Mount {
  if (`${from}${at}`.includes("\r\n"))
    throw new UnstartableError(`no container can show ${from}: a line of its name ends with CR LF`)
  const fixed = isFixed ? ["ro=true", "bind-nonrecursive"] : []
  const fields = ["type=bind", `src=${from}`, `dst=${at}`, ...fixed]
  return [at, ["--mount", fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(",")]]
}
